-- What SQLite says in its own way: full text, sequences, pragmas. Same layout as common.sql.
-- NOT INDEXED where rows are read in the order of their keys: an index on the bank would have them sorted again.

-- fragment: body
c.c0

-- fragment: body_of
JOIN search_content c ON c.id = m.rowkey

-- name: next_rowkey
-- Read the last row key given out.
SELECT seq FROM sqlite_sequence WHERE name = 'memory'

-- name: sequences
-- Read the last key given out in each table whose keys are never given out again.
SELECT name, seq FROM sqlite_sequence

-- name: raise_sequence
-- Give out no key of a table up to one.
UPDATE sqlite_sequence SET seq = max(seq, :seq) WHERE name = :name

-- name: begin_sequence
-- Give out no key up to one, of a table that never had a row.
INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :seq)

-- name: put_search
-- Index the shadow text of a version.
INSERT INTO search (rowid, body) VALUES (:rowkey, :body)

-- name: change_search
-- Index a version's shadow text anew.
UPDATE search SET body = :body WHERE rowid = :rowkey

-- name: erase_search
-- Take a version out of the full-text index.
DELETE FROM search WHERE rowid = :rowkey

-- name: lexical
-- Find memories by their terms, the best by BM25 first; filters are asked lazily, in rank order.
SELECT m.rowkey, s.rank
FROM (SELECT rowid AS rowkey, rank FROM search WHERE search MATCH :match ORDER BY rank LIMIT -1 OFFSET 0) s
CROSS JOIN memory m ON m.rowkey = s.rowkey
WHERE {admitted} LIMIT :limit

-- name: frequencies
-- Count the versions that hold each term.
SELECT term, doc FROM search_terms WHERE term IN (SELECT value FROM json_each(:terms))

-- name: whole_memories
-- Read memories with all their versions, in the order in which each was first recorded, after a row key.
SELECT {columns} FROM (
    -- NOT INDEXED walks the table by row key; through an index, each page would sort all that follows.
    SELECT f.rowkey, f.id FROM memory f NOT INDEXED WHERE f.bank = :bank AND f.rowkey > :after
    AND NOT EXISTS (SELECT 1 FROM memory e WHERE e.bank = f.bank AND e.id = f.id AND e.version < f.version)
    ORDER BY f.rowkey LIMIT :limit
  ) p CROSS JOIN memory m ON m.bank = :bank AND m.id = p.id
ORDER BY p.rowkey, m.version

-- name: count_search
-- Count indexed versions, those without a row, and rows that are not indexed.
SELECT (SELECT count(*) FROM search_content),
  (SELECT count(*) FROM search_content c WHERE NOT EXISTS (SELECT 1 FROM memory m WHERE m.rowkey = c.id)),
  (SELECT count(*) FROM memory m WHERE NOT EXISTS (SELECT 1 FROM search_content c WHERE c.id = m.rowkey))

-- name: average_terms
-- Read the number of indexed versions and of their terms, from the full-text index's own record.
SELECT block FROM search_data WHERE id = 1

-- name: check_search
-- Have the full-text index compare itself with its content.
INSERT INTO search (search, rank) VALUES ('integrity-check', 1)

-- name: rebuild_search
-- Build the full-text index anew from its content.
INSERT INTO search (search) VALUES ('rebuild')

-- name: signposts
-- List the beginnings of words, in bytes, by which the full-text index finds its pages, but for the shortest.
SELECT segid, term, substr(term, 2) FROM search_idx WHERE length(term) > 4

-- name: next_term
-- Find the first term from the bytes of a word on; the index lists them in their order.
SELECT term FROM search_terms WHERE term >= CAST(:word AS TEXT) LIMIT 1

-- name: rename_signpost
-- Let the full-text index find a page by another word.
UPDATE OR IGNORE search_idx SET term = :word WHERE segid = :segid AND term = :term

-- name: fact_signposts
-- List the beginnings of words, in bytes, by which the index of facts finds its pages, but for the shortest.
SELECT segid, term, substr(term, 2) FROM fact_search_idx WHERE length(term) > 4

-- name: next_fact_term
-- Find the first term of facts from the bytes of a word on; the index lists them in their order.
SELECT term FROM fact_terms WHERE term >= CAST(:word AS TEXT) LIMIT 1

-- name: rename_fact_signpost
-- Let the index of facts find a page by another word.
UPDATE OR IGNORE fact_search_idx SET term = :word WHERE segid = :segid AND term = :term

-- name: set_search_option
-- Set an option of the full-text index.
INSERT INTO search (search, rank) VALUES (:option, :value)

-- name: search_option
-- Read an option of the full-text index.
SELECT v FROM search_config WHERE k = :option

-- name: begin
-- Take the write lock.
BEGIN IMMEDIATE

-- name: begin_reading
-- See one state of the file until the end, whatever others write.
BEGIN DEFERRED

-- name: commit
-- Make it so, on disk.
COMMIT

-- name: rollback
-- Take it all back.
ROLLBACK

-- name: truncate_log
-- Move the write-ahead log into the file and cut it to nothing.
PRAGMA wal_checkpoint(TRUNCATE)

-- name: durable
-- Acknowledge only what is on disk.
PRAGMA synchronous = FULL

-- name: use_log
-- Write ahead, so that readers never wait.
PRAGMA journal_mode = WAL

-- name: overwrite
-- Overwrite what is deleted.
PRAGMA secure_delete = ON

-- name: leave_traces
-- Do not overwrite what is deleted.
PRAGMA secure_delete = OFF

-- name: schema_version
-- Read the number of the schema.
PRAGMA user_version

-- name: check_file
-- Have SQLite check the file.
PRAGMA integrity_check(20)

-- name: without_vector
-- List versions after a row key that lack a vector of the model, with what is embedded.
SELECT m.rowkey, m.kind, m.author_id, m.content, m.embed_text FROM memory m NOT INDEXED
WHERE m.bank = :bank AND m.rowkey > :after AND m.retired_at IS NULL
AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.bank = m.bank AND v.rowkey = m.rowkey AND v.model = :model)
ORDER BY m.rowkey LIMIT :limit

-- name: vectors_after
-- Read the vectors and erasure marks of a model that came after a sequence number.
SELECT seq, rowkey, passage, data FROM vector NOT INDEXED
WHERE bank = :bank AND seq > :after AND (model = :model OR data IS NULL) ORDER BY seq LIMIT :limit

-- name: count_without_vector
-- Count the versions in force after a row key that lack a vector of the model.
SELECT count(*), min(m.recorded_at) FROM memory m NOT INDEXED
WHERE m.bank = :bank AND m.rowkey > :after AND m.retired_at IS NULL
AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.bank = m.bank AND v.rowkey = m.rowkey AND v.model = :model)

-- name: all_searchable
-- List versions after a row key with the text that search sees.
SELECT m.rowkey, m.kind, m.author_id, m.content, m.embed_text FROM memory m NOT INDEXED
WHERE m.bank = :bank AND m.rowkey > :after ORDER BY m.rowkey LIMIT :limit

-- name: next_unclaimed
-- Find the memories whose claims are to be read first.
SELECT u.seq, u.said, {columns}
FROM unclaimed u NOT INDEXED CROSS JOIN memory m ON m.bank = u.bank AND m.id = u.memory AND m.retired_at IS NULL
WHERE u.bank = :bank ORDER BY u.seq LIMIT :limit

-- name: all_unclaimed
-- Read which memories' claims have yet to be read, in the order of the queue, after a place in it.
SELECT u.seq, u.memory, u.said FROM unclaimed u NOT INDEXED WHERE u.bank = :bank AND u.seq > :after
AND EXISTS (SELECT 1 FROM memory m WHERE m.bank = u.bank AND m.id = u.memory) ORDER BY u.seq LIMIT :limit

-- name: end_unclaimed
-- Note that the claims of all memories up to one were read.
DELETE FROM unclaimed NOT INDEXED WHERE bank = :bank AND seq <= :seq

-- name: page
-- Read memories in the order in which they were recorded.
SELECT {columns} FROM memory m NOT INDEXED WHERE {admitted} AND m.rowkey > :after ORDER BY m.rowkey LIMIT :limit

-- name: last_fact_rowkey
-- Read the last row key given out to a fact.
SELECT seq FROM sqlite_sequence WHERE name = 'fact'

-- name: put_fact_search
-- Index a version of a fact.
INSERT INTO fact_search (rowid, body) VALUES (:rowkey, :body)

-- name: erase_fact_search
-- Take a version of a fact out of its index.
DELETE FROM fact_search WHERE rowid = :rowkey

-- name: find_facts
-- Find facts by their terms, the best by BM25 first; filters are asked lazily, in rank order.
SELECT {fact_columns}
FROM (SELECT rowid AS rowkey FROM fact_search WHERE fact_search MATCH :match ORDER BY rank LIMIT -1 OFFSET 0) s
CROSS JOIN fact m ON m.rowkey = s.rowkey
WHERE {fact_admitted} LIMIT :limit

-- name: rebuild_fact_search
-- Build the index of facts anew from its content.
INSERT INTO fact_search (fact_search) VALUES ('rebuild')

-- name: optimize_search
-- Merge the full-text index into one piece.
INSERT INTO search (search) VALUES ('optimize')

-- name: optimize_fact_search
-- Merge the index of facts into one piece.
INSERT INTO fact_search (fact_search) VALUES ('optimize')

-- name: vacuum
-- Write the file anew, without what is unused.
VACUUM

-- name: fact_frequencies
-- Count the versions of facts that hold each term.
SELECT term, doc FROM fact_terms WHERE term IN (SELECT value FROM json_each(:terms))

-- name: in_force_after
-- Read versions in force in the order in which they were recorded, after a row key.
SELECT {columns} FROM memory m NOT INDEXED
WHERE m.bank = :bank AND m.rowkey > :after AND m.retired_at IS NULL ORDER BY m.rowkey LIMIT :limit

-- name: foreign_columns
-- Read the tables of a file, and the columns of each in their order.
SELECT s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c
WHERE s.type = 'table' AND s.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY s.rowid, c.cid

-- name: foreign_rows
-- Read a whole table of another program's file; its name takes the place of `sqlite_schema`.
SELECT * FROM sqlite_schema
