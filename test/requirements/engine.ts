import { from } from "./requirement.ts";

export const engine = [
  ...from("engine and stores", {
    "engine.pure": "An operation returns the same changes for the same state and does not modify its inputs.",
    "engine.fold": "Replaying the journal from the start gives the stored state.",
    "stores.contract": "The memory, SQLite and PostgreSQL stores pass the same contract.",
    "stores.contract-bites": "Deliberately broken stores fail the contract.",
    "stores.notepad-column": "agent_sessions has a text column notepad, NULL until used.",
    "stores.rows": "Spaces, notes, tasks, journal and messages are rows; an edit writes only its own.",
    "stores.purge-leaves-nothing": "A purge leaves no text of a session in the SQLite file or its log.",
    "stores.schema-race": "Processes that open a new database at the same time do not reject it as foreign.",
    "stores.owner":
      "Every query is scoped by owner; another owner's session is unreachable, and its id is free for others.",
    "stores.unknown-outcome":
      "A write that was sent and not answered is reported as store_unknown; the same call sent again is applied once.",
    "stores.locked-session": "In Postgres a locked session delays no other session of the process.",
    "stores.feed-heartbeat":
      "In Postgres a change that was never announced reaches its watchers at the next heartbeat, and no watcher looks at other owners.",
    "stores.shared-connections":
      "Memories of one process that open the same Postgres store share connections.",
    "stores.list-by-index":
      "In SQLite and Postgres the newest sessions of an owner are read from an index, page by page.",
    "stores.copy":
      "All sessions of a store can be copied to a store of any kind, in several goes; each is compared by a hash of its content.",
    "retention.history":
      "History beyond the configured days or operations is removed in the background, the last day never; memory, idempotency keys in the window and checksums stay right.",
    "retention.ends":
      "Undo, history, log and the inspector's timeline say where a shortened history begins; none shows a wrong state.",
    "retention.forks":
      "Forks of a session whose history was shortened keep their memory, and no history has a gap.",
    "retention.sessions":
      "Deleted and archived sessions are removed by age, unless a fork reads from them or they changed since.",
    "retention.ledger":
      "Old model calls are removed with the text that no other contains; what proves a compaction stays, and a call whose text is gone says so.",
    "retention.off": "Retention can be turned off, and runs once a day otherwise.",
    "retention.crash": "A process killed while it removes old history loses nothing else.",
    "retention.shown":
      "doctor shows how long things are kept, the size of the store, and the copies beside it.",
    "retention.year":
      "A simulated year of ordinary use stays under 200 MB, and opening, show and lists stay flat.",
    "stores.layout":
      "holdfast store check says which engine a Postgres store runs on, how its tables lie, and what is wrong.",
    "stores.moved": "In Postgres a read-only or crowded server is tried again on a new connection.",
    "stores.refused-opening": "A refused opening leaves no connection behind.",
    "ledger.many-processes": "Model calls of one session recorded by several processes are all kept.",
    "stores.session-first": "In Postgres every statement on session data names one session.",
    "stores.one-shard":
      "On a distributed engine every write runs on one shard: no statement is pulled to the coordinator or announces inside a commit.",
    "stores.synchronous": "SQLite runs in WAL with synchronous=FULL unless a weaker mode is configured.",
    "stores.sqlite-version":
      "Opening a database with a SQLite older than 3.51.3 reports the version and its bug.",
    "stores.sqlite-checksum":
      "Rows of a SQLite store carry a checksum: a flipped bit in a text is an error that names the row, never content.",
    "stores.few-pages":
      "In SQLite an edit of the same length in a long notepad logs the pages that differ, and few others.",
    "stores.backup":
      "A SQLite store that is open has a backup beside it that is at most a day old, and damage does not reach it.",
    "stores.restore":
      "Errors of a damaged SQLite store and doctor name the backup and the steps that restore it.",
    "stores.wal-limit": "SQLite's write-ahead log shrinks again when no reader needs it.",
    "stores.watch-changes": "A watcher reads the sessions that changed, not all of them.",
    "stores.migrations": "An older schema is upgraded; a process killed during the upgrade leaves it intact.",
    "stores.many-processes":
      "Eight processes writing to one session lose nothing, keep a total order and get no busy error.",
    "stores.crash": "A process killed at any moment loses no acknowledged write.",
    "stores.reconnect":
      "After Postgres restarts or cuts a connection, no acknowledged write is lost and none applied twice.",
    "stores.unicode":
      "Every text is the same in every store; NUL is rejected, lone surrogates become U+FFFD, CRLF stays.",
    "journal.history": "The journal lists every accepted operation in order, with author, time and content.",
    "journal.diff": "Two revisions can be compared.",
    "journal.undo-last": "The last operation can be undone.",
    "journal.undo-any":
      "Any operation can be undone while it still applies, and is otherwise rejected with the reason.",
    "journal.state-at": "The memory at any revision can be read.",
    "journal.feed": "Changes by this process and others are reported live.",
    "journal.idempotency": "Repeating an idempotency key changes nothing and returns the first result.",
    "journal.order": "Order comes from sequence numbers; a clock that jumps or stops changes nothing.",
    "sessions.lifecycle": "Sessions can be created, resumed, listed, archived and deleted.",
    "sessions.fork": "A fork copies everything and is independent of its parent.",
    "sessions.fork-cost": "Forking copies no notes and no messages.",
    "sessions.spawn": "A spawned session starts empty, or with a copy of the notepad.",
    "sessions.export": "A session can be exported as one JSON document and imported again.",
    "sessions.pi-import": "A pi session file is imported along its current branch only.",
    "sessions.pi-export": "The scratchpad is written back into a pi session file.",
  }),
  ...from("secrets", {
    "secrets.kinds": "At least 25 kinds of secrets are found in a corpus made at run time.",
    "secrets.harmless":
      "UUIDs, hashes, images, lock files, examples and ordinary code are not taken for secrets.",
    "secrets.redact": "A secret is replaced by its kind and a fingerprint.",
    "secrets.stored":
      "What a tool call, a handoff, a message, an import or the ledger stores has no secrets, and the answer says so; refuse rejects the write, allow stores it.",
    "secrets.record":
      "Under refuse, a secret in the conversation itself, which nobody can say differently, is redacted, and the agent goes on.",
    "secrets.shown": "Secrets of an older store are redacted in what is shown and exported.",
    "secrets.copies":
      "forget also reaches the copies that export and migrate made elsewhere and those that the user names, and says which it does not reach.",
    "secrets.erase":
      "After forget, a search of the raw files of every store finds nothing, and what could not be cleared is reported and finished later.",
  }),
  ...from("bad input", {
    "bad.types":
      "A wrong type, an unknown action or field, or a missing field is rejected with the field's name, and nothing changes.",
    "bad.deep-import": "An import that is nested too deep is a typed error.",
    "bad.ids": "An unknown or malformed id is rejected with the next step.",
    "bad.text": "NUL is rejected; lone surrogates are replaced.",
    "bad.huge": "Content over the limit is rejected with a typed error.",
    "bad.foreign": "A foreign database is left alone.",
    "bad.newer": "A database with a newer schema is left alone.",
    "bad.read-only": "In a read-only location reads work, and a write fails with a typed error.",
    "bad.full":
      "On a full disk a write fails with a typed error, reads work, and writes work again once there is space.",
  }),
  ...from("context and tokens", {
    "context.which":
      "Where several places for text are offered, one sentence gives each its use, and the plan has one place.",
    "context.surfaces":
      "session.context() returns the blocks and guidance of the selected surfaces, and of no others.",
    "context.one-block": "Any content renders as exactly one block, which parses back to the content.",
    "context.forgery":
      "No content passes for a marker, heading, tag or speaker of ours or of a host, also not with look-alike or hidden characters, and every marker in the sources is covered.",
    "context.hidden":
      "Hidden characters in memory are shown to the model by name, and parse back to what was written.",
    "context.cut-blocks": "Memory that is cut never leaves a code block open.",
    "context.cached": "The context of an unchanged session is not rendered again.",
    "tools.duplicate": "Two surfaces with the same tool name are rejected at startup.",
    "tokens.estimate": "The estimator is within 20 % on prose, code, JSON, hex, base64, UUIDs and CJK.",
    "tokens.calibrate": "Reported usage corrects the estimator's ratios.",
    "tokens.cache": "An unchanged text is never counted twice.",
  }),
];
