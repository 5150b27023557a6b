-- Statements that every engine understands. One `-- name:` a statement, then one sentence, then the SQL.
-- `{name}` stands for a fragment; `:name` is the one style of parameter.

-- fragment: columns
m.rowkey, m.bank, m.id, m.version, m.recorded_at, m.retired_at, m.valid_until, m.scope, m.session_id, m.position,
m.timestamp, m.veracity, m.kind, m.tier, m.author_id, m.author_type, m.channel_id, m.source, m.memory_type,
m.event_start, m.event_end, m.event_precision, m.importance, m.trust_tier, m.pinned, m.external_id,
m.superseded_by, m.metadata, m.content, m.embed_text

-- fragment: visible
(m.scope IN ('bank', 'global')
  OR (m.scope = 'session' AND m.session_id = :my_session)
  OR (m.scope = 'channel' AND coalesce(m.channel_id, m.session_id) = :my_channel)
  OR m.scope IN (SELECT value FROM json_each(:my_scopes)))

-- fragment: admitted
m.bank = :bank
AND ((:as_of IS NULL AND m.retired_at IS NULL)
  OR (m.recorded_at <= :as_of AND (m.retired_at IS NULL OR m.retired_at > :as_of)))
AND (:include_invalid = 1 OR m.valid_until IS NULL OR m.valid_until > :at)
AND {visible}
AND (:global_only = 0 OR m.scope = 'global')
AND (:session_id IS NULL OR m.session_id = :session_id)
AND (:author_id IS NULL OR m.author_id = :author_id)
AND (:author_type IS NULL OR m.author_type = :author_type)
AND (:channel_id IS NULL OR m.channel_id = :channel_id)
AND (:source IS NULL OR m.source = :source)
AND (:scope IS NULL OR m.scope = :scope)
AND (:tier IS NULL OR m.tier = :tier)
AND (:kind IS NULL OR m.kind = :kind)
AND (:memory_type IS NULL OR m.memory_type = :memory_type)
AND ((:veracity IS NULL AND m.veracity <> 'false') OR m.veracity = :veracity)
AND (:since IS NULL OR (m.timestamp >= :since AND m.timestamp < :until)
  OR (m.event_start < :until AND m.event_end > :since))
AND (m.kind <> 'episode' OR :include_invalid = 1 OR NOT {unfounded})

-- fragment: unfounded
EXISTS (SELECT 1 FROM citation c WHERE c.bank = m.bank AND c.episode = m.id AND NOT EXISTS (
  SELECT 1 FROM memory s WHERE s.bank = c.bank AND s.id = c.memory
  AND ((:as_of IS NULL AND s.retired_at IS NULL)
    OR (s.recorded_at <= :as_of AND (s.retired_at IS NULL OR s.retired_at > :as_of)))
  AND (s.valid_until IS NULL OR s.valid_until > :at) AND s.veracity <> 'false'
  AND (s.version = c.version OR s.content = (
    SELECT o.content FROM memory o WHERE o.bank = c.bank AND o.id = c.memory AND o.version = c.version))))

-- name: put_memory
-- Write one version of a memory.
INSERT INTO memory (rowkey, bank, id, version, recorded_at, retired_at, valid_until, scope, session_id, position,
  timestamp, veracity, kind, tier, author_id, author_type, channel_id, source, memory_type, event_start, event_end,
  event_precision, importance, trust_tier, pinned, external_id, superseded_by, hash, metadata, content, embed_text)
VALUES (:rowkey, :bank, :id, :version, :recorded_at, :retired_at, :valid_until, :scope, :session_id, :position,
  :timestamp, :veracity, :kind, :tier, :author_id, :author_type, :channel_id, :source, :memory_type, :event_start,
  :event_end, :event_precision, :importance, :trust_tier, :pinned, :external_id, :superseded_by, :hash, :metadata,
  :content, :embed_text)

-- name: retire_memory
-- Close the version in force.
UPDATE memory SET retired_at = :at WHERE bank = :bank AND id = :id AND retired_at IS NULL

-- name: reserve_id
-- Say whether an id is taken, by a memory or by a forgotten one.
SELECT 1 FROM memory WHERE bank = :bank AND id = :id
UNION ALL SELECT 1 FROM tombstone WHERE bank = :bank AND id = :id

-- name: current
-- Read the version in force of a memory that the caller may see.
SELECT {columns} FROM memory m WHERE m.bank = :bank AND m.id = :id AND m.retired_at IS NULL AND {visible}

-- name: version_at
-- Read the version of a memory that was in force at a moment, or the numbered one.
SELECT {columns} FROM memory m WHERE m.bank = :bank AND m.id = :id AND {visible}
AND (m.version = :version OR (m.recorded_at <= :as_of AND (m.retired_at IS NULL OR m.retired_at > :as_of)))
ORDER BY m.version DESC LIMIT 1

-- name: versions
-- Read all versions of a memory, the oldest first.
SELECT {columns} FROM memory m WHERE m.bank = :bank AND m.id = :id ORDER BY m.version

-- name: note_like
-- Find the version in force of a note with the same text, scope and author; of several, one that holds and is oldest.
SELECT {columns} FROM memory m
WHERE m.bank = :bank AND m.hash = :hash AND m.retired_at IS NULL AND m.content = :content
ORDER BY m.valid_until IS NOT NULL, m.rowkey LIMIT 1

-- name: turn_like
-- Find the version in force of the turn that a host knows by this external id, within what the caller may see.
SELECT {columns} FROM memory m
WHERE m.bank = :bank AND m.external_id = :external_id AND m.session_id = :session_id AND m.retired_at IS NULL
AND {visible}
ORDER BY m.scope <> :scope, m.rowkey LIMIT 1

-- name: last_position
-- Read the highest position of a session.
SELECT max(position) FROM memory WHERE bank = :bank AND session_id = :session_id

-- name: occur
-- Keep one more occurrence of a note.
INSERT INTO occurrence (bank, id, seq, at, session_id, author_id, channel_id, source)
SELECT :bank, :id, coalesce(max(seq), 0) + 1, :at, :session_id, :author_id, :channel_id, :source
FROM occurrence WHERE bank = :bank AND id = :id

-- name: occurrences
-- Read the occurrences of a note, the oldest first.
SELECT id, at, session_id, author_id, channel_id, source FROM occurrence
WHERE bank = :bank AND id = :id ORDER BY seq

-- name: all_occurrences
-- Read the occurrences of the bank in a fixed order, after the given one.
SELECT id, at, session_id, author_id, channel_id, source, seq FROM occurrence o
WHERE o.bank = :bank AND (o.id, o.seq) > (:after_id, :after_seq)
AND EXISTS (SELECT 1 FROM memory m WHERE m.bank = o.bank AND m.id = o.id) ORDER BY id, seq LIMIT :limit

-- name: put_passage
-- Keep the span of one passage.
INSERT INTO passage (bank, rowkey, number, start, stop) VALUES (:bank, :rowkey, :number, :start, :stop)

-- name: copy_passages
-- Give a new version the passages of the one before.
INSERT INTO passage (bank, rowkey, number, start, stop)
SELECT bank, :new, number, start, stop FROM passage WHERE bank = :bank AND rowkey = :old

-- name: copy_vectors
-- Give a new version the vectors of the one before.
INSERT INTO vector (bank, rowkey, passage, model, data)
SELECT bank, :new, passage, model, data FROM vector WHERE bank = :bank AND rowkey = :old AND data IS NOT NULL

-- name: erase_occurrences
-- Erase the occurrences of a memory.
DELETE FROM occurrence WHERE bank = :bank AND id = :id

-- name: erase_recalled
-- Erase the recall count of a memory.
DELETE FROM recalled WHERE bank = :bank AND id = :id

-- name: erase_passages
-- Erase the passages of one version.
DELETE FROM passage WHERE bank = :bank AND rowkey = :rowkey

-- name: erase_vectors
-- Erase the vectors of one version.
DELETE FROM vector WHERE bank = :bank AND rowkey = :rowkey

-- name: mark_erased
-- Tell readers of the vectors that those of a version are gone.
INSERT INTO vector (bank, rowkey, passage, model, data) VALUES (:bank, :rowkey, -1, '', NULL)

-- name: erase_memory
-- Erase all versions of a memory.
DELETE FROM memory WHERE bank = :bank AND id = :id

-- name: bury
-- Leave the mark of what was forgotten; a fact that was stated again may be forgotten again.
INSERT INTO tombstone (bank, id, hash, at) VALUES (:bank, :id, :hash, :at)
ON CONFLICT (bank, id) DO UPDATE SET at = max(at, excluded.at)

-- name: tombstones
-- Read the marks of what was forgotten in a fixed order, after an id.
SELECT id, at FROM tombstone WHERE bank = :bank AND id > :after_id ORDER BY id LIMIT :limit

-- name: buried
-- Say whether an id was forgotten.
SELECT 1 FROM tombstone WHERE bank = :bank AND id = :id

-- name: buried_of
-- List those of given ids that were forgotten, and when.
SELECT t.id, t.at FROM json_each(:ids) k CROSS JOIN tombstone t ON t.bank = :bank AND t.id = k.value

-- name: found
-- Read what scoring needs of the candidates.
SELECT m.rowkey, m.session_id, m.position, m.kind, m.author_id, m.importance, m.veracity, m.trust_tier, m.timestamp,
  m.event_start, m.event_end, m.pinned, {body},
  CASE WHEN m.kind = 'episode' THEN coalesce(m.metadata ->> 'detail', 1) END
FROM json_each(:rowkeys) k CROSS JOIN memory m ON m.rowkey = k.value {body_of}
WHERE {admitted}

-- name: places
-- Read what scoring needs of the memories at given places of sessions.
SELECT m.rowkey, m.session_id, m.position, m.kind, m.author_id, m.importance, m.veracity, m.trust_tier, m.timestamp,
  m.event_start, m.event_end, m.pinned, {body}
FROM json_each(:places) k CROSS JOIN memory m
  ON m.bank = :bank AND m.session_id = k.value ->> 0 AND m.position BETWEEN k.value ->> 1 AND k.value ->> 2 {body_of}
WHERE {admitted}

-- name: by_rowkeys
-- Read whole memories by their row keys.
SELECT {columns} FROM json_each(:rowkeys) k CROSS JOIN memory m ON m.rowkey = k.value

-- name: contents
-- Read the verbatim text of candidates.
SELECT m.rowkey, m.content FROM json_each(:rowkeys) k CROSS JOIN memory m ON m.rowkey = k.value

-- name: temporal
-- Find memories whose event time meets the asked interval, the nearest to its named end first.
SELECT m.rowkey FROM memory m
WHERE m.event_start < :asked_end AND m.event_end > :asked_start AND m.event_start IS NOT NULL AND {admitted}
ORDER BY abs(m.event_start - :near) LIMIT :limit

-- name: said_within
-- Find memories that were said within the asked interval, the latest first.
SELECT m.rowkey FROM memory m
WHERE m.timestamp >= :asked_start AND m.timestamp < :asked_end AND {admitted}
ORDER BY m.timestamp DESC LIMIT :limit

-- name: latest
-- Find the latest memories.
SELECT m.rowkey FROM memory m WHERE {admitted} ORDER BY m.timestamp DESC, m.rowkey DESC LIMIT :limit

-- name: context_rows
-- Read pinned memories first, then the most important, then the latest; episodes repeat their sources.
SELECT {columns} FROM memory m WHERE {admitted} AND (m.kind <> 'episode' OR :kind = 'episode')
ORDER BY m.pinned DESC, m.importance DESC, m.timestamp DESC, m.rowkey DESC LIMIT :limit

-- name: admitted_rows
-- List the row keys that a filter admits, up to a limit.
SELECT m.rowkey FROM memory m WHERE {admitted} LIMIT :limit

-- name: admitted_among
-- List those of given row keys that a filter admits.
SELECT m.rowkey FROM json_each(:rowkeys) k CROSS JOIN memory m ON m.rowkey = k.value WHERE {admitted}

-- name: known_authors
-- List the authors of the bank.
SELECT id FROM author WHERE bank = :bank ORDER BY id

-- name: know_author
-- Keep the name of an author.
INSERT INTO author (bank, id) VALUES (:bank, :id) ON CONFLICT DO NOTHING

-- name: drop_author
-- Forget an author of whom nothing is left.
DELETE FROM author WHERE bank = :bank AND id = :id
AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.bank = :bank AND m.author_id = :id)

-- name: versions_of
-- Read all versions of given memories, the oldest of each first.
SELECT {columns} FROM json_each(:ids) k CROSS JOIN memory m ON m.bank = :bank AND m.id = k.value
ORDER BY m.id, m.version

-- name: put_after
-- List those of given memories that have a version after a row key.
SELECT DISTINCT m.id FROM json_each(:ids) k CROSS JOIN memory m
  ON m.bank = :bank AND m.id = k.value AND m.rowkey > :after

-- name: count_export
-- Count what an export holds: memories, versions, occurrences, recall counts, tombstones, citations, statements, ties, what waits, notes, events.
SELECT count(DISTINCT m.id), count(*),
  (SELECT count(*) FROM occurrence o WHERE o.bank = :bank
    AND EXISTS (SELECT 1 FROM memory x WHERE x.bank = o.bank AND x.id = o.id)),
  (SELECT count(*) FROM recalled r WHERE r.bank = :bank
    AND EXISTS (SELECT 1 FROM memory x WHERE x.bank = r.bank AND x.id = r.id)),
  (SELECT count(*) FROM tombstone t WHERE t.bank = :bank),
  (SELECT count(*) FROM citation c WHERE c.bank = :bank),
  (SELECT count(*) FROM assertion a WHERE a.bank = :bank),
  (SELECT count(*) FROM annotation a WHERE a.bank = :bank AND a.source <> 'rule'),
  (SELECT count(*) FROM edge e WHERE e.bank = :bank AND e.origin <> 'rule'),
  (SELECT count(*) FROM unclaimed u WHERE u.bank = :bank
    AND EXISTS (SELECT 1 FROM memory x WHERE x.bank = u.bank AND x.id = u.memory)),
  (SELECT count(*) FROM reading r WHERE r.bank = :bank AND r.mark IS NULL
    AND EXISTS (SELECT 1 FROM memory x WHERE x.bank = r.bank AND x.id = r.memory)),
  (SELECT count(*) FROM note n WHERE n.bank = :bank),
  (SELECT count(*) FROM event e WHERE e.bank = :bank AND e.verb <> 'loaded')
FROM memory m WHERE m.bank = :bank

-- name: count_ever
-- Count what was ever remembered, forgotten memories included: a number that never falls.
SELECT (SELECT count(DISTINCT id) FROM memory WHERE bank = :bank)
  + (SELECT count(*) FROM tombstone WHERE bank = :bank)

-- name: has_global
-- Say whether the bank holds a memory for other banks.
SELECT 1 FROM memory m WHERE m.bank = :bank AND m.scope = 'global' AND m.retired_at IS NULL LIMIT 1

-- name: count_memories
-- Count the versions in force by tier.
SELECT tier, count(*), max(timestamp) FROM memory WHERE bank = :bank AND retired_at IS NULL GROUP BY tier

-- name: count_sources
-- Count the versions in force by source.
SELECT source, count(*) FROM memory WHERE bank = :bank AND retired_at IS NULL GROUP BY source ORDER BY source

-- name: count_states
-- Count versions in force, retired and invalid ones, sessions, pinned and global memories.
SELECT count(*) FILTER (WHERE retired_at IS NULL), count(*) FILTER (WHERE retired_at IS NOT NULL),
  count(*) FILTER (WHERE retired_at IS NULL AND valid_until <= :at), count(DISTINCT session_id),
  count(*) FILTER (WHERE retired_at IS NULL AND pinned = 1),
  count(*) FILTER (WHERE retired_at IS NULL AND scope = 'global'), max(recorded_at)
FROM memory WHERE bank = :bank

-- name: count_tombstones
-- Count what was forgotten.
SELECT count(*) FROM tombstone WHERE bank = :bank

-- name: count_live
-- Count the versions in force.
SELECT count(*) FROM memory WHERE bank = :bank AND retired_at IS NULL

-- name: log
-- Append to the journal.
INSERT INTO event (bank, writer, seq, at, verb, memory, version, actor, reason)
VALUES (:bank, :writer, :seq, :at, :verb, :memory, :version, :actor, :reason)

-- name: last_event
-- Read the number of this writer's last event.
SELECT max(seq) FROM event WHERE bank = :bank AND writer = :writer

-- name: history
-- Read the events of one memory, the oldest first; those of one writer as it did them, though its clock went back.
SELECT at, verb, memory, version, actor, reason, seq, writer FROM event
WHERE bank = :bank AND memory = :memory ORDER BY max(at) OVER (PARTITION BY writer ORDER BY seq), seq

-- name: events
-- Read the journal in a fixed order, after the given event.
SELECT at, verb, memory, version, actor, reason, seq, writer FROM event
WHERE bank = :bank AND (writer, seq) > (:after_writer, :after_seq) ORDER BY writer, seq LIMIT :limit

-- name: adopt_event
-- Keep an event that came from elsewhere, unless it is known.
INSERT INTO event (bank, writer, seq, at, verb, memory, version, actor, reason)
VALUES (:bank, :writer, :seq, :at, :verb, :memory, :version, :actor, :reason) ON CONFLICT DO NOTHING

-- name: last_write
-- Read when the journal was last written to, and how often in the last day.
SELECT max(at), count(*) FILTER (WHERE at > :since) FROM event WHERE bank = :bank

-- name: introduction
-- Read what a file says of itself: the id, name and making of its bank.
SELECT bank, max(value) FILTER (WHERE name = 'name'), max(value) FILTER (WHERE name = 'created_at')
FROM meta GROUP BY bank

-- name: get_meta
-- Read one note about the bank itself.
SELECT value FROM meta WHERE bank = :bank AND name = :name

-- name: set_meta
-- Keep one note about the bank itself.
INSERT INTO meta (bank, name, value) VALUES (:bank, :name, :value)
ON CONFLICT (bank, name) DO UPDATE SET value = excluded.value

-- name: claim
-- Take a lease, unless another holder's is still good.
INSERT INTO lease (bank, name, holder, until) VALUES (:bank, :name, :holder, :until)
ON CONFLICT (bank, name) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE lease.holder = excluded.holder OR lease.until <= :now

-- name: release_all
-- Give all leases of a holder back.
DELETE FROM lease WHERE bank = :bank AND holder = :holder

-- name: release
-- Give a lease back.
DELETE FROM lease WHERE bank = :bank AND name = :name AND holder = :holder

-- name: count_recall
-- Add to the recall count of a memory, if it is still there: it may have been forgotten since it was handed out.
INSERT INTO recalled (bank, id, count, last)
SELECT :bank, :id, :count, :last WHERE EXISTS (SELECT 1 FROM memory WHERE bank = :bank AND id = :id)
ON CONFLICT (bank, id) DO UPDATE SET count = recalled.count + excluded.count, last = max(recalled.last, excluded.last)

-- name: recall_count
-- Read how often and when last a memory was handed out.
SELECT count, last FROM recalled WHERE bank = :bank AND id = :id

-- name: all_recalled
-- Read the recall counts of the bank in a fixed order, after an id.
SELECT id, count, last FROM recalled r WHERE r.bank = :bank AND r.id > :after_id
AND EXISTS (SELECT 1 FROM memory m WHERE m.bank = r.bank AND m.id = r.id) ORDER BY id LIMIT :limit

-- name: put_vector
-- Keep a vector, if the version that it was made for is still there.
INSERT INTO vector (bank, rowkey, passage, model, data)
SELECT :bank, :rowkey, :passage, :model, :data FROM memory WHERE rowkey = :rowkey
ON CONFLICT (bank, rowkey, passage, model) DO NOTHING

-- name: passages_of
-- Read the passages of a version.
SELECT number, start, stop FROM passage WHERE bank = :bank AND rowkey = :rowkey ORDER BY number

-- name: vectors_of
-- Read the vectors of given rows.
SELECT v.rowkey, v.passage, v.data FROM json_each(:rowkeys) k
CROSS JOIN vector v ON v.bank = :bank AND v.rowkey = k.value AND v.model = :model AND v.data IS NOT NULL

-- name: in_force_of
-- Find which of given versions are in force.
SELECT m.rowkey FROM json_each(:rowkeys) k CROSS JOIN memory m ON m.rowkey = k.value
WHERE m.bank = :bank AND m.retired_at IS NULL

-- name: last_vector
-- Read the sequence number of the last vector or erasure mark.
SELECT max(seq) FROM vector

-- name: vector_models
-- Count the versions that have vectors of each model; each has a first passage, and erasure marks have no model.
SELECT model, count(*) FROM vector WHERE bank = :bank AND passage = 0 AND model <> '' GROUP BY model ORDER BY model

-- name: vector_size
-- Read the number of bytes of a vector of a model.
SELECT length(data) FROM vector WHERE bank = :bank AND model = :model LIMIT 1

-- name: drop_model
-- Erase the vectors of a model that has been replaced.
DELETE FROM vector WHERE bank = :bank AND data IS NOT NULL AND model = :model

-- name: orphans
-- Count vectors, passages, occurrences and recall counts whose memory is gone.
SELECT (SELECT count(*) FROM vector v WHERE v.bank = :bank AND v.data IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.rowkey = v.rowkey)),
  (SELECT count(*) FROM passage p WHERE p.bank = :bank
    AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.rowkey = p.rowkey)),
  (SELECT count(*) FROM occurrence o WHERE o.bank = :bank
    AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.bank = o.bank AND m.id = o.id)),
  (SELECT count(*) FROM recalled r WHERE r.bank = :bank
    AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.bank = r.bank AND m.id = r.id))

-- name: count_ties
-- Count annotations and edges.
SELECT (SELECT count(*) FROM annotation a WHERE a.bank = :bank), (SELECT count(*) FROM edge e WHERE e.bank = :bank)

-- name: loose_ties
-- Count annotations whose memory is gone, and edges of which an end is.
SELECT (SELECT count(*) FROM annotation a WHERE a.bank = :bank
    AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.bank = a.bank AND m.id = a.memory)),
  (SELECT count(*) FROM edge e WHERE e.bank = :bank
    AND (NOT EXISTS (SELECT 1 FROM memory m WHERE m.bank = e.bank AND m.id = e.source)
      OR NOT EXISTS (SELECT 1 FROM memory m WHERE m.bank = e.bank AND m.id = e.target)))

-- fragment: fact_columns
m.rowkey, m.id, m.version, m.slot, m.kind, m.subject, m.predicate, m.object, m.valid_from, m.valid_to, m.belief,
m.veracity, m.contested, m.superseded_by, m.scope, m.session_id, m.channel_id, m.recorded_at, m.retired_at, m.sources

-- fragment: assertion_columns
a.rowkey, a.verb, a.kind, a.subject, a.predicate, a.object, a.at, a.valid_from, a.valid_to, a.confidence, a.veracity,
a.scope, a.session_id, a.channel_id, a.author_id, a.memory, a.version, a.start, a.stop, a.origin, a.withdrawn_at

-- fragment: fact_admitted
m.bank = :bank
AND ((:known_at IS NULL AND m.retired_at IS NULL)
  OR (m.recorded_at <= :known_at AND (m.retired_at IS NULL OR m.retired_at > :known_at)))
AND (:holds_at IS NULL OR (m.valid_from <= :holds_at AND (m.valid_to IS NULL OR m.valid_to > :holds_at)))
AND {visible}
AND (:global_only = 0 OR m.scope = 'global')
AND (:subject_key IS NULL OR m.subject_key = :subject_key)
AND (:predicate IS NULL OR m.predicate = :predicate)
AND (:kind IS NULL OR m.kind = :kind)

-- name: put_assertion
-- Append one statement.
INSERT INTO assertion (bank, slot, verb, kind, subject, predicate, object, object_key, at, valid_from, valid_to,
  confidence, veracity, scope, session_id, channel_id, author_id, memory, version, start, stop, origin, withdrawn_at)
VALUES (:bank, :slot, :verb, :kind, :subject, :predicate, :object, :object_key, :at, :valid_from, :valid_to,
  :confidence, :veracity, :scope, :session_id, :channel_id, :author_id, :memory, :version, :start, :stop, :origin,
  :withdrawn_at)

-- name: assertions_of
-- Read all statements of given slots, in the order in which they came.
SELECT a.slot, {assertion_columns} FROM json_each(:slots) k CROSS JOIN assertion a
  ON a.bank = :bank AND a.slot = k.value ORDER BY a.rowkey

-- name: assertions_from
-- Read all statements that a memory makes or made.
SELECT {assertion_columns} FROM assertion a WHERE a.bank = :bank AND a.memory = :memory ORDER BY a.rowkey

-- name: assertions_page
-- Read statements in the order in which they came, after a row key.
SELECT {assertion_columns} FROM assertion a WHERE a.bank = :bank AND a.rowkey > :after ORDER BY a.rowkey LIMIT :limit

-- name: slots_from
-- List the slots that a memory says or said something of.
SELECT DISTINCT slot FROM assertion WHERE bank = :bank AND memory = :memory ORDER BY slot

-- name: moment_of_assertions
-- Read a moment, or the latest at which something was said of slots or by memories, where that is later.
SELECT max(:at, coalesce(max(told.at), :at)) FROM (
  SELECT max(a.at, coalesce(a.withdrawn_at, a.at)) AS at
  FROM json_each(:slots) k CROSS JOIN assertion a ON a.bank = :bank AND a.slot = k.value
  UNION ALL SELECT m.recorded_at
  FROM json_each(:memories) k CROSS JOIN memory m ON m.bank = :bank AND m.id = k.value) told

-- name: withdraw_assertions
-- Let what a memory says count no longer, or what was read in it in one way.
UPDATE assertion SET withdrawn_at = :at
WHERE bank = :bank AND memory = :memory AND withdrawn_at IS NULL AND (:origin IS NULL OR origin = :origin)

-- name: erase_assertions
-- Erase all that a memory says or said.
DELETE FROM assertion WHERE bank = :bank AND memory = :memory

-- name: erase_stated
-- Erase what persons stated of one object in a slot.
DELETE FROM assertion WHERE bank = :bank AND slot = :slot AND object_key = :object_key AND memory IS NULL

-- name: all_slots
-- List the slots that are spoken of, after one.
SELECT DISTINCT slot FROM assertion WHERE bank = :bank AND slot > :after ORDER BY slot LIMIT :limit

-- name: facts_of
-- Read all versions of the facts of given slots, in the order in which they were recorded.
SELECT {fact_columns} FROM json_each(:slots) k CROSS JOIN fact m ON m.bank = :bank AND m.slot = k.value ORDER BY m.rowkey

-- name: live_facts_of
-- Read the facts of given slots as they stand.
SELECT {fact_columns} FROM json_each(:slots) k CROSS JOIN fact m
  ON m.bank = :bank AND m.slot = k.value AND m.retired_at IS NULL ORDER BY m.rowkey

-- name: last_versions_of_facts
-- Read the number of the last version of given facts.
SELECT m.id, max(m.version) FROM json_each(:ids) k CROSS JOIN fact m ON m.bank = :bank AND m.id = k.value GROUP BY m.id

-- name: put_fact
-- Write one version of a fact.
INSERT INTO fact (rowkey, bank, id, version, recorded_at, retired_at, slot, kind, subject, subject_key, predicate, object,
  object_key, valid_from, valid_to, belief, veracity, contested, superseded_by, scope, session_id, channel_id, sources)
VALUES (:rowkey, :bank, :id, :version, :recorded_at, :retired_at, :slot, :kind, :subject, :subject_key, :predicate, :object,
  :object_key, :valid_from, :valid_to, :belief, :veracity, :contested, :superseded_by, :scope, :session_id,
  :channel_id, :sources)

-- name: retire_fact
-- Close a version of a fact.
UPDATE fact SET retired_at = :at WHERE rowkey = :rowkey

-- name: erase_fact
-- Erase a version of a fact.
DELETE FROM fact WHERE rowkey = :rowkey

-- name: known_fact
-- Read the last version of a fact, whoever may see it.
SELECT {fact_columns} FROM fact m WHERE m.bank = :bank AND m.id = :id ORDER BY m.version DESC LIMIT 1

-- name: last_of_fact
-- Read the last version of a fact that the caller may see, though nothing says so any more.
SELECT {fact_columns} FROM fact m WHERE m.bank = :bank AND m.id = :id AND {visible} ORDER BY m.version DESC LIMIT 1

-- name: fact_at
-- Read a fact as it stands, or as it was known at a moment.
SELECT {fact_columns} FROM fact m WHERE m.bank = :bank AND m.id = :id AND {visible}
AND ((:known_at IS NULL AND m.retired_at IS NULL)
  OR (m.recorded_at <= :known_at AND (m.retired_at IS NULL OR m.retired_at > :known_at)))
ORDER BY m.version DESC LIMIT 1

-- name: admitted_facts
-- Read those of given facts that are admitted.
SELECT {fact_columns} FROM json_each(:ids) k CROSS JOIN fact m ON m.id = k.value WHERE {fact_admitted}

-- name: list_facts
-- List facts by subject and predicate, in the order of valid time.
SELECT {fact_columns} FROM fact m WHERE {fact_admitted}
ORDER BY m.subject_key, m.predicate, m.valid_from, m.id LIMIT :limit

-- name: contested_facts
-- List the facts that contradict one another and that no rule has settled.
SELECT {fact_columns} FROM fact m WHERE {fact_admitted} AND m.contested = 1
ORDER BY m.slot, m.valid_from, m.id LIMIT :limit

-- name: facts_resting_on
-- Read the facts as they stand, or stood, that rest on given memories.
SELECT DISTINCT {fact_columns} FROM json_each(:memories) k
CROSS JOIN assertion a ON a.bank = :bank AND a.memory = k.value
CROSS JOIN fact m ON m.bank = :bank AND m.slot = a.slot AND m.object_key = a.object_key
WHERE {fact_admitted} LIMIT :limit

-- name: admitted_of
-- Find the row keys of given memories that a filter admits.
SELECT m.rowkey, m.id FROM json_each(:ids) k CROSS JOIN memory m ON m.bank = :bank AND m.id = k.value WHERE {admitted}

-- name: count_facts
-- Count the facts that hold, those that ended or are yet to begin, and those that are contested.
SELECT count(*) FILTER (WHERE valid_from <= :at AND (valid_to IS NULL OR valid_to > :at)),
  count(*) FILTER (WHERE valid_from > :at OR valid_to <= :at),
  count(*) FILTER (WHERE contested = 1 AND (valid_to IS NULL OR valid_to > :at))
FROM fact WHERE bank = :bank AND retired_at IS NULL

-- fragment: waits
m.bank = :bank AND m.retired_at IS NULL AND m.kind IN ('turn', 'note') AND m.tier = 'working'
AND m.veracity <> 'false' AND m.superseded_by IS NULL AND (m.valid_until IS NULL OR m.valid_until > :at)
AND m.timestamp <= :before
AND NOT EXISTS (SELECT 1 FROM citation c WHERE c.bank = m.bank AND c.memory = m.id
  AND c.episode NOT IN (SELECT value FROM json_each(:released)))

-- fragment: let_go
m.metadata ->> 'remade_by' IS NOT NULL OR (m.valid_until IS NULL AND {unfounded})

-- name: released_episodes
-- List the episodes whose sources are free again: made anew, or resting on what no longer holds.
SELECT m.id FROM (SELECT DISTINCT episode FROM citation WHERE bank = :bank) k
CROSS JOIN memory m ON m.bank = :bank AND m.id = k.episode AND m.retired_at IS NULL
WHERE {let_go}

-- name: released_citing
-- List those among them that cite one of the given memories.
SELECT m.id FROM (SELECT DISTINCT c.episode FROM json_each(:ids) i
  CROSS JOIN citation c ON c.bank = :bank AND c.memory = i.value) k
CROSS JOIN memory m ON m.bank = :bank AND m.id = k.episode AND m.retired_at IS NULL
WHERE {let_go}

-- name: waiting_sessions
-- Count what waits for sleep by session, the one with the oldest first.
SELECT m.session_id, count(*), min(m.timestamp) FROM memory m WHERE {waits}
GROUP BY m.session_id ORDER BY min(m.timestamp), m.session_id

-- name: enough_waiting
-- Count what waits for sleep, up to a limit.
SELECT count(*) FROM (SELECT 1 FROM memory m WHERE {waits} LIMIT :limit)

-- name: waiting_turns
-- Read what waits in a session in the order in which it was said, after a place, with its search text.
SELECT {columns}, {body} FROM memory m {body_of}
WHERE m.session_id = :session AND (m.position, m.rowkey) > (:after_position, :after_rowkey) AND {waits}
ORDER BY m.position, m.rowkey LIMIT :limit

-- name: waiting_notes
-- Read what waits in a session without a place, after a row key, with its search text.
SELECT {columns}, {body} FROM memory m {body_of}
WHERE m.session_id = :session AND m.position IS NULL AND m.rowkey > :after_rowkey AND {waits}
ORDER BY m.rowkey LIMIT :limit

-- name: still_waiting
-- Count those of given memories that still wait for sleep, at the given version.
SELECT count(*) FROM json_each(:sources) k
CROSS JOIN memory m ON m.bank = :bank AND m.id = k.value ->> 0 AND m.version = k.value ->> 1
WHERE {waits}

-- name: cite
-- Keep which memory an episode sums up.
INSERT INTO citation (bank, episode, memory, version) VALUES (:bank, :episode, :memory, :version)

-- name: cited
-- List what an episode sums up.
SELECT memory, version FROM citation WHERE bank = :bank AND episode = :episode ORDER BY memory

-- name: citing
-- List the episodes that sum up a memory.
SELECT episode FROM citation WHERE bank = :bank AND memory = :memory ORDER BY episode

-- name: uncite
-- Drop what an episode sums up.
DELETE FROM citation WHERE bank = :bank AND episode = :episode

-- name: uncite_memory
-- Drop that a memory is summed up.
DELETE FROM citation WHERE bank = :bank AND memory = :memory

-- name: current_whole
-- Read the versions in force of given memories, whoever may see them.
SELECT {columns} FROM json_each(:ids) k
CROSS JOIN memory m ON m.bank = :bank AND m.id = k.value AND m.retired_at IS NULL

-- name: parts
-- Find which of given rows are episodes, and which others of them each sums up.
SELECT e.rowkey, e.id, s.rowkey FROM json_each(:rowkeys) k
CROSS JOIN memory e ON e.rowkey = k.value AND e.bank = :bank AND e.kind = 'episode'
CROSS JOIN citation c ON c.bank = e.bank AND c.episode = e.id
CROSS JOIN memory s ON s.bank = c.bank AND s.id = c.memory
WHERE s.rowkey IN (SELECT value FROM json_each(:rowkeys))

-- name: episodes_of_detail
-- Read episodes of a level of detail that were written in full, last, before a moment; the oldest first.
SELECT {columns} FROM (SELECT DISTINCT episode FROM citation WHERE bank = :bank) k
CROSS JOIN memory m ON m.bank = :bank AND m.id = k.episode AND m.retired_at IS NULL AND m.valid_until IS NULL
WHERE coalesce(m.metadata ->> 'detail', 1) = :detail AND m.metadata ->> 'since' <= :before
ORDER BY m.rowkey LIMIT :limit

-- name: all_citations
-- Read which memories episodes sum up in a fixed order, after an episode and a memory.
SELECT episode, memory, version FROM citation
WHERE bank = :bank AND (episode, memory) > (:after_episode, :after_memory) ORDER BY episode, memory LIMIT :limit

-- name: adopt_citation
-- Keep which memory an episode sums up, as a load brings it.
INSERT INTO citation (bank, episode, memory, version) VALUES (:bank, :episode, :memory, :version)
ON CONFLICT DO NOTHING

-- The scratchpad, the journal as a stream, and what speaks against the derived.

-- name: put_note
-- Keep a note of the scratchpad; one that is there already is written anew.
INSERT INTO note (bank, session_id, id, content, created_at, updated_at)
VALUES (:bank, :session_id, :id, :content, :created_at, :updated_at)
ON CONFLICT (bank, session_id, id) DO UPDATE SET content = excluded.content, updated_at = excluded.updated_at

-- name: latest_notes
-- Read the notes of a session, the newest first.
SELECT id, content, created_at, updated_at, session_id FROM note
WHERE bank = :bank AND session_id = :session_id ORDER BY updated_at DESC, id DESC LIMIT :limit

-- name: count_notes
-- Count the notes of a session.
SELECT count(*) FROM note WHERE bank = :bank AND session_id = :session_id

-- name: clear_notes
-- Erase the notes of a session.
DELETE FROM note WHERE bank = :bank AND session_id = :session_id

-- fragment: told
(e.memory IS NULL OR NOT EXISTS (SELECT 1 FROM memory m
  WHERE m.bank = e.bank AND m.id = e.memory AND m.retired_at IS NULL AND NOT {visible}))

-- name: own_events
-- Read what this file's own writer did, in the order of its doing, after a number, but of what the caller may not see.
SELECT e.at, e.verb, e.memory, e.version, e.actor, e.reason, e.seq, e.writer FROM event e
WHERE e.bank = :bank AND e.writer = :writer AND e.seq > :after_seq AND {told} ORDER BY e.seq LIMIT :limit

-- name: others_events
-- Read what came from other writers by its time, after an event, but of what the caller may not see.
SELECT e.at, e.verb, e.memory, e.version, e.actor, e.reason, e.seq, e.writer FROM event e
WHERE e.bank = :bank AND e.writer <> :writer AND (e.at, e.writer, e.seq) > (:after_at, :after_writer, :after_seq)
AND {told} ORDER BY e.at, e.writer, e.seq LIMIT :limit

-- name: moment_of_event
-- Read when an event was.
SELECT at FROM event WHERE bank = :bank AND writer = :writer AND seq = :seq

-- name: drop_events
-- Drop events from before a moment, but each writer's last, which its next number follows, and what undo goes by.
DELETE FROM event WHERE bank = :bank AND at < :before AND verb <> 'undone'
AND seq < (SELECT max(l.seq) FROM event l WHERE l.bank = event.bank AND l.writer = event.writer)

-- name: doubtful_episodes
-- List episodes in force with each of their sources that is untrusted, invalid or forgotten.
SELECT m.id, m.content, m.importance, c.memory,
  CASE WHEN s.id IS NULL THEN 'forgotten' WHEN s.valid_until <= :at THEN 'invalid' ELSE s.veracity END
FROM citation c CROSS JOIN memory m ON m.bank = c.bank AND m.id = c.episode AND m.retired_at IS NULL
LEFT JOIN memory s ON s.bank = c.bank AND s.id = c.memory AND s.retired_at IS NULL
WHERE c.bank = :bank AND (m.valid_until IS NULL OR m.valid_until > :at) AND {visible}
AND (s.id IS NULL OR s.valid_until <= :at OR s.veracity IN (SELECT value FROM json_each(:untrusted)))
ORDER BY c.episode, c.memory

-- name: doubtful_facts
-- List facts as they stand with each of their sources that is untrusted, invalid or forgotten.
SELECT m.id, m.subject || ' ' || replace(m.predicate, '_', ' ') || ' ' || m.object, coalesce(s.importance, 0.5),
  o.value ->> 0, CASE WHEN o.value IS NULL THEN m.veracity WHEN s.id IS NULL THEN 'forgotten'
    WHEN s.valid_until <= :at THEN 'invalid' ELSE s.veracity END
FROM fact m LEFT JOIN json_each(m.sources) o ON true
LEFT JOIN memory s ON s.bank = m.bank AND s.id = o.value ->> 0 AND s.retired_at IS NULL
WHERE m.bank = :bank AND m.retired_at IS NULL AND {visible}
AND CASE WHEN o.value IS NULL THEN m.veracity IN (SELECT value FROM json_each(:untrusted))
  ELSE s.id IS NULL OR s.valid_until <= :at OR s.veracity IN (SELECT value FROM json_each(:untrusted)) END
ORDER BY m.id

-- name: drop_marks
-- Drop the marks that tell readers of the vectors what was erased; for a file that nobody else has open.
DELETE FROM vector WHERE bank = :bank AND data IS NULL

-- name: count_rows
-- Count the rows of each table that nothing but a person's word may change.
SELECT 'memory', count(*) FROM memory
UNION ALL SELECT 'author', count(*) FROM author
UNION ALL SELECT 'occurrence', count(*) FROM occurrence
UNION ALL SELECT 'passage', count(*) FROM passage
UNION ALL SELECT 'recalled', count(*) FROM recalled
UNION ALL SELECT 'tombstone', count(*) FROM tombstone
UNION ALL SELECT 'assertion', count(*) FROM assertion
UNION ALL SELECT 'fact', count(*) FROM fact
UNION ALL SELECT 'annotation', count(*) FROM annotation
UNION ALL SELECT 'edge', count(*) FROM edge
UNION ALL SELECT 'citation', count(*) FROM citation
UNION ALL SELECT 'note', count(*) FROM note
UNION ALL SELECT 'spending', count(*) FROM spending
UNION ALL SELECT 'reading', count(*) FROM reading
UNION ALL SELECT 'unclaimed', count(*) FROM unclaimed

-- name: count_events
-- Count the events of the journal.
SELECT count(*) FROM event WHERE bank = :bank

-- name: cited_memories
-- Read what an episode sums up, each at the version that it sums up, in the order in which it was said.
SELECT {columns} FROM citation c CROSS JOIN memory m ON m.bank = c.bank AND m.id = c.memory AND m.version = c.version
WHERE c.bank = :bank AND c.episode = :episode ORDER BY m.position, m.timestamp, m.rowkey

-- name: count_episodes
-- Count the episodes in force.
SELECT count(*) FROM (SELECT DISTINCT episode FROM citation WHERE bank = :bank) k
CROSS JOIN memory m ON m.bank = :bank AND m.id = k.episode AND m.retired_at IS NULL AND m.valid_until IS NULL

-- name: put_annotation
-- Keep what a memory's own text says of it, unless it is said already.
INSERT INTO annotation (bank, memory, kind, value, value_key, source, confidence, at)
VALUES (:bank, :memory, :kind, :value, :value_key, :source, :confidence, :at) ON CONFLICT DO NOTHING

-- name: give_annotation
-- Keep what somebody says of a memory; it stands in the place of what was derived.
INSERT INTO annotation (bank, memory, kind, value, value_key, source, confidence, at)
VALUES (:bank, :memory, :kind, :value, :value_key, :source, :confidence, :at)
ON CONFLICT (bank, memory, kind, value_key) DO UPDATE
SET value = excluded.value, source = excluded.source, confidence = excluded.confidence, at = excluded.at

-- name: drop_annotation
-- Take one annotation away.
DELETE FROM annotation WHERE bank = :bank AND memory = :memory AND kind = :kind AND value_key = :value_key

-- name: erase_annotations
-- Erase the annotations of a memory: those of one source, or all.
DELETE FROM annotation WHERE bank = :bank AND memory = :id AND (:source IS NULL OR source = :source)

-- name: erase_remarks
-- Erase the annotations of one source, whatever they are about.
DELETE FROM annotation WHERE bank = :bank AND source = :source

-- name: given_annotations
-- Read what was given to say of memories in a fixed order, after a memory, kind and key.
SELECT memory, kind, value, value_key, source, confidence, at FROM annotation
WHERE bank = :bank AND (memory, kind, value_key) > (:after_memory, :after_kind, :after_key) AND source <> 'rule'
ORDER BY memory, kind, value_key LIMIT :limit

-- name: given_edges
-- Read the links that were given in a fixed order, after a source, target and type.
SELECT source, target, type, weight, evidence, origin, at FROM edge
WHERE bank = :bank AND (source, target, type) > (:after_source, :after_target, :after_type) AND origin <> 'rule'
ORDER BY source, target, type LIMIT :limit

-- name: annotations_of
-- Read the annotations of a memory.
SELECT memory, kind, value, value_key, source, confidence, at FROM annotation
WHERE bank = :bank AND memory = :memory AND (:kind IS NULL OR kind = :kind) ORDER BY kind, value, value_key

-- name: mentions_of
-- Read what given memories mention.
SELECT a.memory, a.value_key FROM json_each(:ids) k
CROSS JOIN annotation a ON a.bank = :bank AND a.memory = k.value AND a.kind = 'mentions'

-- name: mention_counts
-- Count how often each of given things is mentioned, up to a number.
SELECT k.value, (SELECT count(*) FROM (SELECT 1 FROM annotation a
  WHERE a.bank = :bank AND a.value_key = k.value AND a.kind = 'mentions' LIMIT :most))
FROM json_each(:keys) k

-- name: mentioning
-- Find memories that mention one of given things, the latest first.
SELECT m.rowkey, a.value_key FROM json_each(:keys) k
CROSS JOIN annotation a ON a.bank = :bank AND a.value_key = k.value AND a.kind = 'mentions'
CROSS JOIN memory m ON m.bank = :bank AND m.id = a.memory
WHERE {admitted} ORDER BY m.rowkey DESC LIMIT :limit

-- name: aliases_of
-- Find what given things are called besides: an alias is kept under both names, joined by ` = `.
SELECT k.value, substr(a.value_key, length(k.value) + 4), a.value FROM json_each(:keys) k
CROSS JOIN annotation a ON a.bank = :bank AND a.kind = 'alias'
  AND a.value_key >= k.value || ' = ' AND a.value_key < k.value || ' =!'
CROSS JOIN memory m ON m.bank = :bank AND m.id = a.memory
WHERE {admitted} ORDER BY k.value, a.value_key

-- name: all_entities
-- List what memories mention, the most mentioned first.
SELECT a.value_key, min(a.value), count(*) FROM annotation a
CROSS JOIN memory m ON m.bank = :bank AND m.id = a.memory
WHERE a.bank = :bank AND a.kind = 'mentions' AND {admitted}
GROUP BY a.value_key ORDER BY count(*) DESC, a.value_key LIMIT :limit

-- name: put_edge
-- Keep a link between two memories; a derived one leaves a given one as it is.
INSERT INTO edge (bank, source, target, type, weight, evidence, origin, at)
VALUES (:bank, :source, :target, :type, :weight, :evidence, :origin, :at)
ON CONFLICT (bank, source, target, type) DO UPDATE
SET weight = excluded.weight, evidence = excluded.evidence, origin = excluded.origin, at = excluded.at
WHERE excluded.origin <> 'rule' OR edge.origin = 'rule'

-- name: drop_edge
-- Take the links between two memories away.
DELETE FROM edge WHERE bank = :bank AND (:type IS NULL OR type = :type)
AND ((source = :source AND target = :target) OR (source = :target AND target = :source))

-- name: erase_edges
-- Erase the links of a memory: those of one origin, or all.
DELETE FROM edge WHERE bank = :bank AND (source = :memory OR target = :memory)
AND (:origin IS NULL OR origin = :origin)

-- name: edges_around
-- Read the links of given memories whose other end is admitted.
SELECT e.source, e.target, e.type, e.weight, e.evidence, e.origin, e.at FROM json_each(:ids) k
CROSS JOIN edge e ON e.bank = :bank AND e.source = k.value
CROSS JOIN memory m ON m.bank = :bank AND m.id = e.target
WHERE e.weight >= :least AND (:types IS NULL OR e.type IN (SELECT value FROM json_each(:types))) AND {admitted}
UNION ALL
SELECT e.source, e.target, e.type, e.weight, e.evidence, e.origin, e.at FROM json_each(:ids) k
CROSS JOIN edge e ON e.bank = :bank AND e.target = k.value
CROSS JOIN memory m ON m.bank = :bank AND m.id = e.source
WHERE e.weight >= :least AND (:types IS NULL OR e.type IN (SELECT value FROM json_each(:types))) AND {admitted}

-- name: neighbours
-- Find the memories that given versions are linked to.
SELECT m.rowkey, e.weight FROM json_each(:rowkeys) k
CROSS JOIN memory s ON s.rowkey = k.value CROSS JOIN edge e ON e.bank = :bank AND e.source = s.id
CROSS JOIN memory m ON m.bank = :bank AND m.id = e.target WHERE e.weight >= :least AND {admitted}
UNION ALL
SELECT m.rowkey, e.weight FROM json_each(:rowkeys) k
CROSS JOIN memory s ON s.rowkey = k.value CROSS JOIN edge e ON e.bank = :bank AND e.target = s.id
CROSS JOIN memory m ON m.bank = :bank AND m.id = e.source WHERE e.weight >= :least AND {admitted}

-- name: degrees
-- Count the links that begin and that end at given memories.
SELECT k.value, (SELECT count(*) FROM edge e WHERE e.bank = :bank AND e.source = k.value),
  (SELECT count(*) FROM edge e WHERE e.bank = :bank AND e.target = k.value) FROM json_each(:ids) k

-- name: count_derived_edges
-- Count the links that a rule drew from a memory.
SELECT count(*) FROM edge WHERE bank = :bank AND source = :memory AND origin = 'rule'

-- name: has_edge_type
-- Say whether there is a link of a type.
SELECT 1 FROM edge WHERE bank = :bank AND type = :type LIMIT 1

-- name: admitted_by_id
-- Read given memories that the filter admits.
SELECT {columns} FROM json_each(:ids) k CROSS JOIN memory m ON m.bank = :bank AND m.id = k.value WHERE {admitted}

-- name: put_spending
-- Enter a call of a language model.
INSERT INTO spending (bank, at, id, task, model, tokens_in, tokens_out, outcome)
VALUES (:bank, :at, :id, :task, :model, :tokens_in, :tokens_out, :outcome)

-- name: settle_spending
-- Write down what a call took, and what came of it.
UPDATE spending SET tokens_in = :tokens_in, tokens_out = :tokens_out, outcome = :outcome
WHERE bank = :bank AND at = :at AND id = :id

-- name: spent
-- Count calls, tokens, refusals and failures from a moment on.
SELECT count(*) FILTER (WHERE outcome <> 'refused'), coalesce(sum(tokens_in + tokens_out), 0),
  count(*) FILTER (WHERE outcome = 'refused'), count(*) FILTER (WHERE outcome = 'failed')
FROM spending WHERE bank = :bank AND at > :since

-- name: drop_refusals
-- Drop the refusals of before a moment: they cost nothing, and nobody counts them any more.
DELETE FROM spending WHERE bank = :bank AND at <= :before AND outcome = 'refused'

-- name: want_reading
-- Let a memory wait to be read by a language model; one that was read, or is being read, stays as it is.
INSERT INTO reading (bank, memory, said, mark, version, reached, tries, due)
VALUES (:bank, :memory, :said, NULL, NULL, 0, 0, :due)
ON CONFLICT (bank, memory) DO UPDATE SET said = excluded.said WHERE mark IS NULL AND reached = 0

-- name: next_reading
-- Find what is to be read first: in force, not given up, and due.
SELECT r.said, r.reached, r.tries, {columns}
FROM reading r CROSS JOIN memory m ON m.bank = r.bank AND m.id = r.memory
WHERE r.bank = :bank AND r.mark IS NULL AND r.due <= :at AND r.tries < :tries AND {readable}
ORDER BY r.due, r.memory LIMIT 1

-- name: count_readings
-- Count what waits to be read, what was given up, and what was read.
SELECT count(*) FILTER (WHERE r.mark IS NULL AND r.tries < :tries),
  count(*) FILTER (WHERE r.mark IS NULL AND r.tries >= :tries), count(*) FILTER (WHERE r.mark IS NOT NULL)
FROM reading r CROSS JOIN memory m ON m.bank = r.bank AND m.id = r.memory
WHERE r.bank = :bank AND {readable}

-- fragment: readable
m.retired_at IS NULL AND (m.valid_until IS NULL OR m.valid_until > :at) AND m.veracity <> 'false'

-- name: reach_reading
-- Note how far a memory was read, from where it was left: what changed meanwhile is to be read from its start.
UPDATE reading SET reached = :stop WHERE bank = :bank AND memory = :memory AND reached = :start AND mark IS NULL

-- name: end_reading
-- Note that a version was read to its end, and by which extractor, unless it changed meanwhile.
UPDATE reading SET mark = :mark, version = :version, tries = 0
WHERE bank = :bank AND memory = :memory AND reached = :reached AND mark IS NULL

-- name: fail_reading
-- Note that a reading failed, and when it may be tried again.
UPDATE reading SET tries = tries + 1, due = :due WHERE bank = :bank AND memory = :memory

-- name: reread
-- Let what another extractor read be read anew.
UPDATE reading SET mark = NULL, version = NULL, reached = 0, tries = 0
WHERE bank = :bank AND mark IS NOT NULL AND mark <> :mark

-- name: reread_memory
-- Let a memory be read from its start again, since what followed from it was taken back.
UPDATE reading SET mark = NULL, version = NULL, reached = 0, tries = 0, due = :due
WHERE bank = :bank AND memory = :memory AND said IS NULL

-- name: drop_part
-- Drop a memory of which only a part was to be read: of its new text nobody said which.
DELETE FROM reading WHERE bank = :bank AND memory = :memory AND said IS NOT NULL

-- name: erase_reading
-- Erase that a memory was, or is to be, read.
DELETE FROM reading WHERE bank = :bank AND memory = :memory

-- name: waiting_readings
-- Read what a language model has yet to read in a fixed order, after a memory.
SELECT r.memory, r.said, r.reached FROM reading r WHERE r.bank = :bank AND r.memory > :after AND r.mark IS NULL
AND EXISTS (SELECT 1 FROM memory m WHERE m.bank = r.bank AND m.id = r.memory) ORDER BY r.memory LIMIT :limit

-- name: leave_unclaimed
-- Let the claims of a memory be read later.
INSERT INTO unclaimed (bank, memory, said) VALUES (:bank, :memory, :said)

-- name: count_unclaimed
-- Count the memories whose claims have yet to be read, up to a limit.
SELECT count(*) FROM (SELECT 1 FROM unclaimed WHERE bank = :bank LIMIT :limit)

-- name: unclaimed_of
-- Read what of one memory's claims has yet to be read.
SELECT u.seq, u.said, {columns}
FROM unclaimed u CROSS JOIN memory m ON m.bank = u.bank AND m.id = u.memory AND m.retired_at IS NULL
WHERE u.bank = :bank AND u.memory = :memory

-- name: erase_unclaimed
-- Forget that the claims of a memory are to be read.
DELETE FROM unclaimed WHERE bank = :bank AND memory = :memory

-- name: external_between
-- Read the versions in force whose external ids lie from the first to before the last, in the order of recording.
SELECT {columns} FROM memory m
WHERE m.bank = :bank AND m.external_id >= :first AND m.external_id < :last AND m.retired_at IS NULL ORDER BY m.rowkey

-- name: has_note
-- Say whether a session has a note of the scratchpad by that id.
SELECT 1 FROM note WHERE bank = :bank AND session_id = :session_id AND id = :id

-- name: all_notes
-- Read the notes of all sessions in a fixed order.
SELECT id, content, created_at, updated_at, session_id FROM note WHERE bank = :bank ORDER BY session_id, id
