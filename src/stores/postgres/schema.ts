import { openEnd } from "../store.ts";
import { commitFunctions, commitSession, trimCalls, upkeepFunctions } from "./commit-functions.ts";

/** A session moves in the index of its owner's list at most this often, so most commits change no index. */
const listedMilliseconds = 60_000;

/**
 * The same tables as in SQLite, but the session's row is `session_rows` and `agent_sessions` a view on it: the row
 * holds the notepad in four parts, so that an append rewrites only the last one. Every primary key starts with the
 * session id, so the tables can be sharded by it.
 */
export const migrations: string[] = [
  `
  CREATE TABLE agent_sessions (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    agent TEXT NOT NULL,
    title TEXT,
    status TEXT NOT NULL,
    origin TEXT NOT NULL,
    parent TEXT,
    lineage TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    revision BIGINT NOT NULL,
    last_fork BIGINT NOT NULL,
    counters TEXT NOT NULL,
    notepad TEXT
  );
  CREATE INDEX agent_sessions_of_owner ON agent_sessions (owner, id);

  CREATE TABLE session_records (
    session_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    from_revision BIGINT NOT NULL,
    to_revision BIGINT NOT NULL,
    value TEXT,
    PRIMARY KEY (session_id, kind, key, to_revision)
  );

  CREATE TABLE session_journal (
    session_id TEXT NOT NULL,
    revision BIGINT NOT NULL,
    owner TEXT NOT NULL,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    surface TEXT NOT NULL,
    operation TEXT NOT NULL,
    changes TEXT NOT NULL,
    idempotency_key TEXT,
    result TEXT,
    commit_id TEXT,
    PRIMARY KEY (session_id, revision)
  );
  CREATE UNIQUE INDEX session_journal_keys ON session_journal (session_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

  CREATE VIEW session_notes AS
    SELECT session_id, owner, key AS id, value::json ->> 'content' AS content, value::json -> 'tags' AS tags
    FROM session_records WHERE kind = 'note' AND to_revision = ${openEnd} AND value IS NOT NULL;
  CREATE VIEW session_spaces AS
    SELECT session_id, owner, key AS space, value::json #>> '{}' AS content
    FROM session_records WHERE kind = 'space' AND to_revision = ${openEnd} AND value IS NOT NULL;
  CREATE VIEW session_refs AS
    SELECT session_id, owner, key AS place, value::json #>> '{}' AS ref
    FROM session_records WHERE kind = 'ref' AND to_revision = ${openEnd} AND value IS NOT NULL;
  CREATE VIEW session_tasks AS
    SELECT session_id, owner, key AS id, value AS task
    FROM session_records WHERE kind = 'task' AND to_revision = ${openEnd} AND value IS NOT NULL;
  CREATE VIEW session_messages AS
    SELECT session_id, owner, key::bigint AS number, value AS message
    FROM session_records WHERE kind = 'message' AND to_revision = ${openEnd} AND value IS NOT NULL;

  CREATE FUNCTION holdfast_commit(
    the_session TEXT, the_owner TEXT, expected BIGINT, the_birth BIGINT,
    new_title TEXT, new_status TEXT, new_updated_at BIGINT, new_revision BIGINT, new_last_fork BIGINT, new_counters TEXT,
    notepad_changed BOOLEAN, new_notepad TEXT,
    forgets BOOLEAN, kinds TEXT[], keys TEXT[], record_values TEXT[],
    entry_at BIGINT, entry_actor TEXT, entry_surface TEXT, entry_operation TEXT, entry_changes TEXT,
    entry_key TEXT, entry_result TEXT, entry_commit_id TEXT
  ) RETURNS BOOLEAN LANGUAGE plpgsql AS $commit$
  BEGIN
    UPDATE agent_sessions
      SET title = new_title, status = new_status, updated_at = new_updated_at, revision = new_revision,
          last_fork = new_last_fork, counters = new_counters,
          notepad = CASE WHEN notepad_changed THEN new_notepad ELSE notepad END
      WHERE id = the_session AND owner = the_owner AND revision = expected AND created_at = the_birth;
    IF NOT FOUND THEN
      -- Sent a second time because the first answer was lost: then it is done.
      RETURN EXISTS (
        SELECT 1 FROM session_journal
        WHERE session_id = the_session AND owner = the_owner AND revision = new_revision AND commit_id = entry_commit_id
      );
    END IF;
    IF new_last_fork > 0 THEN
      UPDATE session_records r SET to_revision = new_revision
        FROM unnest(kinds, keys) AS w(kind, key)
        WHERE r.session_id = the_session AND r.owner = the_owner AND r.kind = w.kind AND r.key = w.key
          AND r.to_revision = ${openEnd} AND r.from_revision <= new_last_fork;
    END IF;
    IF cardinality(kinds) > 0 THEN
      IF forgets THEN
        DELETE FROM session_records r
          USING unnest(kinds, keys, record_values) AS w(kind, key, value)
          WHERE r.session_id = the_session AND r.owner = the_owner AND r.kind = w.kind AND r.key = w.key
            AND r.to_revision = ${openEnd} AND w.value IS NULL;
      END IF;
      INSERT INTO session_records (session_id, owner, kind, key, from_revision, to_revision, value)
        SELECT the_session, the_owner, w.kind, w.key, new_revision, ${openEnd}, w.value
        FROM unnest(kinds, keys, record_values) AS w(kind, key, value)
        WHERE NOT (forgets AND w.value IS NULL)
        ON CONFLICT (session_id, kind, key, to_revision)
        DO UPDATE SET value = excluded.value, from_revision = excluded.from_revision;
    END IF;
    INSERT INTO session_journal
      (session_id, revision, owner, at, actor, surface, operation, changes, idempotency_key, result, commit_id)
      VALUES (the_session, new_revision, the_owner, entry_at, entry_actor, entry_surface, entry_operation, entry_changes,
              entry_key, entry_result, entry_commit_id);
    PERFORM pg_notify('holdfast', json_build_object('owner', the_owner, 'sessionId', the_session, 'revision', new_revision)::text);
    RETURN TRUE;
  END
  $commit$;
  `,
  `
  CREATE TABLE ledger_calls (
    session_id TEXT NOT NULL,
    number BIGINT NOT NULL,
    owner TEXT NOT NULL,
    at BIGINT NOT NULL,
    base BIGINT NOT NULL,
    kept BIGINT NOT NULL,
    pieces TEXT NOT NULL,
    facts TEXT NOT NULL,
    PRIMARY KEY (session_id, number)
  );

  CREATE TABLE ledger_pieces (
    session_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    owner TEXT NOT NULL,
    part TEXT NOT NULL,
    role TEXT NOT NULL,
    tokens BIGINT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (session_id, hash)
  );
  `,
  `
  CREATE TABLE session_rows (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    agent TEXT NOT NULL,
    title TEXT,
    status TEXT NOT NULL,
    origin TEXT NOT NULL,
    parent TEXT,
    lineage TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    notepad_base TEXT,
    notepad_middle TEXT NOT NULL DEFAULT '',
    last_fork BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    listed BIGINT GENERATED ALWAYS AS (updated_at / ${listedMilliseconds}) STORED,
    touched BIGINT NOT NULL DEFAULT 0,
    revision BIGINT NOT NULL,
    counters TEXT NOT NULL,
    notepad_tail TEXT NOT NULL DEFAULT ''
  ) WITH (fillfactor = 70);
  INSERT INTO session_rows
    (id, owner, agent, title, status, origin, parent, lineage, created_at, notepad_base, last_fork, updated_at, revision, counters)
    SELECT id, owner, agent, title, status, origin, parent, lineage, created_at, notepad, last_fork, updated_at, revision, counters
    FROM agent_sessions;
  DROP FUNCTION holdfast_commit;
  DROP TABLE agent_sessions;
  CREATE INDEX session_rows_listed ON session_rows (owner, listed DESC);
  CREATE INDEX session_rows_touched ON session_rows (owner, touched);
  CREATE INDEX session_rows_parent ON session_rows (owner, parent) WHERE parent IS NOT NULL;

  CREATE VIEW agent_sessions AS
    SELECT id, owner, agent, title, status, origin, parent, lineage, created_at, updated_at, revision, last_fork, counters,
           notepad_base || notepad_middle || notepad_tail AS notepad
    FROM session_rows;

  ALTER TABLE ledger_calls ADD COLUMN call_id TEXT;
  ${commitFunctions}
  `,
  upkeepFunctions,
  trimCalls,
  `
  ALTER TABLE session_rows ADD COLUMN notepad_large TEXT NOT NULL DEFAULT '';
  CREATE OR REPLACE VIEW agent_sessions AS
    SELECT id, owner, agent, title, status, origin, parent, lineage, created_at, updated_at, revision, last_fork, counters,
           notepad_base || notepad_large || notepad_middle || notepad_tail AS notepad
    FROM session_rows;
  ${commitSession}
  `,
];
