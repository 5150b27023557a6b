-- Memories that were written many at once, whose claims rules have yet to read: `said` is the part that users said
-- (null: all of it).
CREATE TABLE unclaimed (
  seq INTEGER PRIMARY KEY,
  bank TEXT NOT NULL,
  memory TEXT NOT NULL,
  said TEXT
);
CREATE INDEX unclaimed_memory ON unclaimed (bank, memory);
