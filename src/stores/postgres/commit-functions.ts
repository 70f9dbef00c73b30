import { openEnd } from "../store.ts";

/**
 * The notepad is stored in four parts, each a few times as large as the next one. An append goes to the last part with
 * room; a part that is full moves into the one before it. So an append rewrites little, however long the notepad is.
 */
const fitsTail = "octet_length(notepad_tail) + octet_length(notepad_text) <= 512";
const fitsMiddle = "octet_length(notepad_middle) <= 4096";
const fitsLarge =
  "octet_length(notepad_large) <= greatest(16384, octet_length(coalesce(notepad_base, '')) / 4)";

/** Seconds per step of `touched`. */
export const touchedSeconds = 10;

const touchedNow = `(extract(epoch FROM clock_timestamp()) / ${touchedSeconds})::bigint`;

/**
 * Every write is one call of one function: one round trip, one shard, and safe to send again. The statements are
 * plain, one row each, because a distributed engine runs such statements on the shard; it would pull
 * `INSERT … SELECT … FROM unnest` to its coordinator. No function announces anything: NOTIFY takes a lock that all
 * commits of the server would wait for.
 */
export const commitSession = `
  CREATE OR REPLACE FUNCTION holdfast_commit(
    the_session TEXT, the_owner TEXT, expected BIGINT, the_birth BIGINT,
    new_title TEXT, new_status TEXT, new_updated_at BIGINT, new_revision BIGINT, new_last_fork BIGINT, new_counters TEXT,
    notepad_edit TEXT, notepad_text TEXT,
    forgets BOOLEAN, kinds TEXT[], keys TEXT[], record_values TEXT[],
    entry_at BIGINT, entry_actor TEXT, entry_surface TEXT, entry_operation TEXT, entry_changes TEXT,
    entry_key TEXT, entry_result TEXT, entry_commit_id TEXT
  ) RETURNS BOOLEAN LANGUAGE plpgsql AS $commit$
  DECLARE
    -- A distributed engine refuses volatile functions in the statement itself.
    now_step BIGINT := ${touchedNow};
  BEGIN
    -- notepad_edit: 'none', 'append' (notepad_text is what is added) or 'replace'.
    UPDATE session_rows
      SET title = new_title, status = new_status, updated_at = new_updated_at, revision = new_revision,
          last_fork = new_last_fork, counters = new_counters, touched = now_step,
          notepad_base = CASE
            WHEN notepad_edit = 'none' THEN notepad_base
            WHEN notepad_edit = 'replace' THEN notepad_text
            WHEN ${fitsTail} OR ${fitsMiddle} OR ${fitsLarge} THEN coalesce(notepad_base, '')
            ELSE coalesce(notepad_base, '') || notepad_large || notepad_middle || notepad_tail || notepad_text END,
          notepad_large = CASE
            WHEN notepad_edit = 'none' THEN notepad_large
            WHEN notepad_edit = 'replace' THEN ''
            WHEN ${fitsTail} OR ${fitsMiddle} THEN notepad_large
            WHEN ${fitsLarge} THEN notepad_large || notepad_middle || notepad_tail || notepad_text
            ELSE '' END,
          notepad_middle = CASE
            WHEN notepad_edit = 'none' THEN notepad_middle
            WHEN notepad_edit = 'replace' THEN ''
            WHEN ${fitsTail} THEN notepad_middle
            WHEN ${fitsMiddle} THEN notepad_middle || notepad_tail || notepad_text
            ELSE '' END,
          notepad_tail = CASE
            WHEN notepad_edit = 'none' THEN notepad_tail
            WHEN notepad_edit = 'replace' THEN ''
            WHEN ${fitsTail} THEN notepad_tail || notepad_text
            ELSE '' END
      WHERE id = the_session AND owner = the_owner AND revision = expected AND created_at = the_birth;
    IF NOT FOUND THEN
      -- Sent a second time because the first answer was lost: then it is done.
      RETURN EXISTS (
        SELECT 1 FROM session_journal
        WHERE session_id = the_session AND owner = the_owner AND revision = new_revision AND commit_id = entry_commit_id
      );
    END IF;
    FOR i IN 1 .. cardinality(kinds) LOOP
      IF new_last_fork > 0 THEN
        UPDATE session_records SET to_revision = new_revision
          WHERE session_id = the_session AND owner = the_owner AND kind = kinds[i] AND key = keys[i]
            AND to_revision = ${openEnd} AND from_revision <= new_last_fork;
      END IF;
      IF forgets AND record_values[i] IS NULL THEN
        DELETE FROM session_records
          WHERE session_id = the_session AND owner = the_owner AND kind = kinds[i] AND key = keys[i]
            AND to_revision = ${openEnd};
      ELSE
        INSERT INTO session_records (session_id, owner, kind, key, from_revision, to_revision, value)
          VALUES (the_session, the_owner, kinds[i], keys[i], new_revision, ${openEnd}, record_values[i])
          ON CONFLICT (session_id, kind, key, to_revision)
          DO UPDATE SET value = excluded.value, from_revision = excluded.from_revision;
      END IF;
    END LOOP;
    INSERT INTO session_journal
      (session_id, revision, owner, at, actor, surface, operation, changes, idempotency_key, result, commit_id)
      VALUES (the_session, new_revision, the_owner, entry_at, entry_actor, entry_surface, entry_operation, entry_changes,
              entry_key, entry_result, entry_commit_id);
    RETURN TRUE;
  END
  $commit$;
`;

export const commitFunctions = `
  ${commitSession}
  CREATE FUNCTION holdfast_create(
    the_session TEXT, the_owner TEXT, the_agent TEXT, the_title TEXT, the_status TEXT, the_origin TEXT, the_parent TEXT,
    the_lineage TEXT, the_birth BIGINT, the_update BIGINT, the_revision BIGINT, the_last_fork BIGINT, the_counters TEXT,
    the_notepad TEXT, kinds TEXT[], keys TEXT[], record_values TEXT[],
    revisions BIGINT[], times BIGINT[], actors TEXT[], surfaces TEXT[], operations TEXT[], changes_of TEXT[],
    entry_keys TEXT[], results TEXT[], the_commit_id TEXT
  ) RETURNS BOOLEAN LANGUAGE plpgsql AS $create$
  DECLARE
    now_step BIGINT := ${touchedNow};
  BEGIN
    INSERT INTO session_rows
      (id, owner, agent, title, status, origin, parent, lineage, created_at, updated_at, revision, last_fork, counters,
       notepad_base, touched)
      VALUES (the_session, the_owner, the_agent, the_title, the_status, the_origin, the_parent, the_lineage, the_birth,
              the_update, the_revision, the_last_fork, the_counters, the_notepad, now_step)
      ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      -- The id exists. This call created it if the first attempt succeeded and only its answer was lost.
      RETURN EXISTS (
        SELECT 1 FROM session_journal
        WHERE session_id = the_session AND owner = the_owner AND revision = the_revision AND commit_id = the_commit_id
      );
    END IF;
    FOR i IN 1 .. cardinality(kinds) LOOP
      INSERT INTO session_records (session_id, owner, kind, key, from_revision, to_revision, value)
        VALUES (the_session, the_owner, kinds[i], keys[i], the_revision, ${openEnd}, record_values[i]);
    END LOOP;
    FOR i IN 1 .. cardinality(revisions) LOOP
      INSERT INTO session_journal
        (session_id, revision, owner, at, actor, surface, operation, changes, idempotency_key, result, commit_id)
        VALUES (the_session, revisions[i], the_owner, times[i], actors[i], surfaces[i], operations[i], changes_of[i],
                entry_keys[i], results[i], the_commit_id);
    END LOOP;
    RETURN TRUE;
  END
  $create$;

  CREATE FUNCTION holdfast_purge(the_session TEXT, the_owner TEXT) RETURNS BOOLEAN LANGUAGE plpgsql AS $purge$
  BEGIN
    DELETE FROM session_rows WHERE id = the_session AND owner = the_owner;
    IF NOT FOUND THEN RETURN FALSE; END IF;
    DELETE FROM session_records WHERE session_id = the_session AND owner = the_owner;
    DELETE FROM session_journal WHERE session_id = the_session AND owner = the_owner;
    DELETE FROM ledger_calls WHERE session_id = the_session AND owner = the_owner;
    DELETE FROM ledger_pieces WHERE session_id = the_session AND owner = the_owner;
    RETURN TRUE;
  END
  $purge$;

  CREATE FUNCTION holdfast_record_call(
    the_session TEXT, the_owner TEXT, call_at BIGINT, call_base BIGINT, call_kept BIGINT, call_pieces TEXT,
    call_facts TEXT, the_call_id TEXT,
    hashes TEXT[], parts TEXT[], roles TEXT[], piece_tokens BIGINT[], texts TEXT[]
  ) RETURNS BIGINT LANGUAGE plpgsql AS $record$
  DECLARE
    latest BIGINT;
    found_number BIGINT;
  BEGIN
    -- Lock first, then read: the next statement sees the calls that were recorded while this one waited.
    PERFORM 1 FROM session_rows WHERE id = the_session AND owner = the_owner FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN NULL; END IF;
    SELECT coalesce(max(number), 0) INTO latest FROM ledger_calls
      WHERE session_id = the_session AND owner = the_owner;
    SELECT number INTO found_number FROM ledger_calls
      WHERE session_id = the_session AND owner = the_owner AND number > latest - 64 AND call_id = the_call_id;
    IF found_number IS NOT NULL THEN RETURN found_number; END IF;
    FOR i IN 1 .. cardinality(hashes) LOOP
      INSERT INTO ledger_pieces (session_id, hash, owner, part, role, tokens, text)
        VALUES (the_session, hashes[i], the_owner, parts[i], roles[i], piece_tokens[i], texts[i])
        ON CONFLICT DO NOTHING;
    END LOOP;
    INSERT INTO ledger_calls (session_id, number, owner, at, base, kept, pieces, facts, call_id)
      VALUES (the_session, latest + 1, the_owner, call_at, call_base, call_kept, call_pieces, call_facts, the_call_id);
    RETURN latest + 1;
  END
  $record$;
`;

/** Replaces what schema 4 had. */
export const trimCalls = `
  CREATE OR REPLACE FUNCTION holdfast_trim_calls(
    the_session TEXT, the_owner TEXT, last_number BIGINT, removed BIGINT[],
    rewritten BIGINT[], rewritten_pieces TEXT[], unused TEXT[]
  ) RETURNS BOOLEAN LANGUAGE plpgsql AS $trim$
  DECLARE
    latest BIGINT;
    new_pieces TEXT;
  BEGIN
    -- The same lock as recording takes, so that no call that contains a removed piece is recorded meanwhile.
    PERFORM 1 FROM session_rows WHERE id = the_session AND owner = the_owner FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN FALSE; END IF;
    SELECT coalesce(max(number), 0) INTO latest FROM ledger_calls
      WHERE session_id = the_session AND owner = the_owner;
    IF latest <> last_number THEN RETURN FALSE; END IF;
    FOR i IN 1 .. cardinality(rewritten) LOOP
      -- A worker of Citus 13.2 crashes if an UPDATE sets a column to an element of an array.
      new_pieces := rewritten_pieces[i];
      UPDATE ledger_calls SET base = 0, kept = 0, pieces = new_pieces
        WHERE session_id = the_session AND owner = the_owner AND number = rewritten[i];
    END LOOP;
    DELETE FROM ledger_calls WHERE session_id = the_session AND owner = the_owner AND number = ANY(removed);
    DELETE FROM ledger_pieces WHERE session_id = the_session AND owner = the_owner AND hash = ANY(unused);
    RETURN TRUE;
  END
  $trim$;
`;

export const upkeepFunctions = `
  ${trimCalls}
  CREATE FUNCTION holdfast_add_versions(
    the_session TEXT, the_owner TEXT, kinds TEXT[], keys TEXT[], froms BIGINT[], tos BIGINT[], record_values TEXT[]
  ) RETURNS BOOLEAN LANGUAGE plpgsql AS $versions$
  BEGIN
    -- Before the session itself: it appears with all its rows. Never into a session that exists.
    PERFORM 1 FROM session_rows WHERE id = the_session AND owner = the_owner;
    IF FOUND THEN RETURN FALSE; END IF;
    FOR i IN 1 .. cardinality(kinds) LOOP
      INSERT INTO session_records (session_id, owner, kind, key, from_revision, to_revision, value)
        VALUES (the_session, the_owner, kinds[i], keys[i], froms[i], tos[i], record_values[i])
        ON CONFLICT DO NOTHING;
    END LOOP;
    RETURN TRUE;
  END
  $versions$;

  CREATE FUNCTION holdfast_restore_calls(
    the_session TEXT, the_owner TEXT,
    numbers BIGINT[], times BIGINT[], bases BIGINT[], kepts BIGINT[], pieces_of TEXT[], facts_of TEXT[],
    hashes TEXT[], parts TEXT[], roles TEXT[], piece_tokens BIGINT[], texts TEXT[]
  ) RETURNS BOOLEAN LANGUAGE plpgsql AS $restore$
  BEGIN
    PERFORM 1 FROM session_rows WHERE id = the_session AND owner = the_owner FOR NO KEY UPDATE;
    IF NOT FOUND THEN RETURN FALSE; END IF;
    FOR i IN 1 .. cardinality(hashes) LOOP
      INSERT INTO ledger_pieces (session_id, hash, owner, part, role, tokens, text)
        VALUES (the_session, hashes[i], the_owner, parts[i], roles[i], piece_tokens[i], texts[i])
        ON CONFLICT DO NOTHING;
    END LOOP;
    FOR i IN 1 .. cardinality(numbers) LOOP
      INSERT INTO ledger_calls (session_id, number, owner, at, base, kept, pieces, facts)
        VALUES (the_session, numbers[i], the_owner, times[i], bases[i], kepts[i], pieces_of[i], facts_of[i])
        ON CONFLICT DO NOTHING;
    END LOOP;
    RETURN TRUE;
  END
  $restore$;
`;

/** The functions that run on the node of their session. */
export const functionNames = [
  "holdfast_commit",
  "holdfast_create",
  "holdfast_purge",
  "holdfast_record_call",
  "holdfast_trim_calls",
  "holdfast_add_versions",
  "holdfast_restore_calls",
];
