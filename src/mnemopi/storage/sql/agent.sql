-- Statements on the agent layer's file, whose schema is agent_schema.sql. Form as in common.sql.

-- fragment: due
kind = :kind AND scope = :scope AND wanted > done AND due_at <= :now AND attempts < :most
AND (status <> 'running' OR lease_until <= :now)

-- name: want_job
-- Have work done, and tried afresh, where more is wanted than before, or in another scope.
INSERT INTO job (kind, key, scope, status, wanted, due_at) VALUES (:kind, :key, :scope, 'waiting', :wanted, :now)
ON CONFLICT (kind, key) DO UPDATE SET wanted = max(wanted, excluded.wanted), scope = excluded.scope, attempts = 0,
  due_at = excluded.due_at, error = NULL, status = CASE WHEN status = 'running' THEN 'running' ELSE 'waiting' END
WHERE excluded.wanted > wanted OR excluded.scope <> scope

-- name: want_more
-- Have work done once more than it was, or is being, done.
INSERT INTO job (kind, key, scope, status, wanted, due_at) VALUES (:kind, :key, :scope, 'waiting', 1, :now)
ON CONFLICT (kind, key) DO UPDATE SET wanted = max(wanted, done, claimed) + 1, attempts = 0, due_at = excluded.due_at,
  error = NULL, status = CASE WHEN status = 'running' THEN 'running' ELSE 'waiting' END

-- name: next_job
-- Find what is wanted most of what is due.
SELECT key, wanted, attempts FROM job WHERE {due} ORDER BY wanted DESC, key LIMIT 1

-- name: count_due_jobs
-- Count what is due.
SELECT count(*) FROM job WHERE {due}

-- name: count_running_jobs
-- Count the work that somebody is at.
SELECT count(*) FROM job WHERE kind = :kind AND status = 'running' AND lease_until > :now

-- name: take_job
-- Claim a job for a time; the attempt counts from here.
UPDATE job SET status = 'running', token = :token, worker = :worker, claimed = wanted, attempts = attempts + 1,
  lease_until = :until WHERE kind = :kind AND key = :key

-- name: beat_job
-- Lengthen a claim, where it still holds.
UPDATE job SET lease_until = :until WHERE token = :token AND status = 'running'

-- name: end_job
-- Say that the claimed work is done, where the claim still holds.
UPDATE job SET done = claimed, status = CASE WHEN wanted > claimed THEN 'waiting' ELSE 'done' END, attempts = 0,
  due_at = :now, token = NULL, worker = NULL, lease_until = 0, error = NULL WHERE token = :token AND status = 'running'

-- name: fail_job
-- Say that the claimed work failed, and when it may be tried again.
UPDATE job SET status = 'failed', due_at = :due, token = NULL, worker = NULL, lease_until = 0, error = :error
WHERE token = :token AND status = 'running'

-- name: put_back_job
-- Give claimed work back, as if it had not been tried.
UPDATE job SET status = 'waiting', attempts = max(attempts - 1, 0), due_at = :due, token = NULL, worker = NULL,
  lease_until = 0, error = :error WHERE token = :token AND status = 'running'

-- name: retry_jobs
-- Let all work of a scope that waits or was given up be tried now.
UPDATE job SET attempts = 0, due_at = :now WHERE scope = :scope AND wanted > done
AND (status <> 'running' OR lease_until <= :now)

-- name: list_jobs
-- List the work of a scope, what is open first.
SELECT kind, key, status, wanted, done, attempts, due_at, lease_until, error FROM job WHERE scope = :scope
ORDER BY wanted > done DESC, kind, due_at, key

-- name: drop_jobs
-- Drop the work of a scope; who is at it finds out when it ends.
DELETE FROM job WHERE scope = :scope

-- name: drop_job
-- Drop one job.
DELETE FROM job WHERE kind = :kind AND key = :key

-- name: put_past_session
-- Write down whose a session file is.
INSERT INTO past_session (path, session, scope, cwd, changed_at, size)
VALUES (:path, :session, :scope, :cwd, :changed_at, :size)
ON CONFLICT (path) DO UPDATE SET session = excluded.session, scope = excluded.scope, cwd = excluded.cwd,
  changed_at = excluded.changed_at, size = excluded.size

-- name: list_past_sessions
-- List the session files that are known.
SELECT path, session, scope, cwd, changed_at, size FROM past_session

-- name: past_session_file
-- Find the newest file of a session.
SELECT path, changed_at FROM past_session WHERE session = :session ORDER BY changed_at DESC, path LIMIT 1

-- name: drop_past_session
-- Forget a session file that is no longer there.
DELETE FROM past_session WHERE path = :path

-- name: put_account
-- Write down what came of a session; the documents do not hold it yet.
INSERT INTO account (session, scope, changed_at, method, slug, summary, memory, made_at, taken)
VALUES (:session, :scope, :changed_at, :method, :slug, :summary, :memory, :made_at, :taken)
ON CONFLICT (session) DO UPDATE SET scope = excluded.scope, changed_at = excluded.changed_at,
  method = excluded.method, slug = excluded.slug, summary = excluded.summary, memory = excluded.memory,
  made_at = excluded.made_at, taken = excluded.taken

-- name: list_accounts
-- List what came of the sessions of a scope, newest first.
SELECT session, scope, changed_at, method, slug, summary, memory, made_at, taken FROM account WHERE scope = :scope
ORDER BY changed_at DESC, session LIMIT :limit

-- name: account_of
-- Read what came of a session.
SELECT session, scope, changed_at, method, slug, summary, memory, made_at, taken FROM account WHERE session = :session

-- name: take_account
-- Say that the documents hold what came of a session, in the form that they were made of.
UPDATE account SET taken = 1 WHERE session = :session AND made_at = :made_at

-- name: drop_account
-- Drop what came of a session.
DELETE FROM account WHERE session = :session

-- name: drop_accounts
-- Drop what came of the sessions of a scope.
DELETE FROM account WHERE scope = :scope

-- name: put_piece
-- Write down what came of a part of a session.
INSERT INTO piece (session, digest, notes) VALUES (:session, :digest, :notes)
ON CONFLICT (session, digest) DO UPDATE SET notes = excluded.notes

-- name: list_pieces
-- List what came of the parts of a session.
SELECT digest, notes FROM piece WHERE session = :session

-- name: drop_pieces
-- Drop what came of the parts of a session, but for those named.
DELETE FROM piece WHERE session = :session AND digest NOT IN (SELECT value FROM json_each(:but))

-- name: drop_scope_pieces
-- Drop what came of the parts of the sessions of a scope.
DELETE FROM piece WHERE session IN (SELECT session FROM past_session WHERE scope = :scope)

-- name: cleared_at
-- Say since when a project's memory was cleared.
SELECT cleared_at FROM project WHERE scope = :scope

-- name: put_cleared_at
-- Write down since when a project's memory was cleared.
INSERT INTO project (scope, cleared_at) VALUES (:scope, :at)
ON CONFLICT (scope) DO UPDATE SET cleared_at = excluded.cleared_at

-- name: prefix_of
-- Read what was put before the model of a session.
SELECT text FROM prefix WHERE host = :host AND session = :session AND scope = :scope

-- name: put_prefix
-- Write down what is put before the model of a session.
INSERT INTO prefix (host, session, scope, text, at) VALUES (:host, :session, :scope, :text, :at)
ON CONFLICT (host, session, scope) DO UPDATE SET text = excluded.text, at = excluded.at

-- name: drop_old_prefixes
-- Drop what was put before the models of sessions that are long over.
DELETE FROM prefix WHERE at < :before

-- name: drop_prefixes
-- Drop what was put before the models of a scope's sessions.
DELETE FROM prefix WHERE scope = :scope
