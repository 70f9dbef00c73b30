import { from } from "./requirement.ts";

export const engine = [
  ...from("engine and stores", {
    "engine.pure":
      "An operation gives the same changes for the same state, and changes nothing it was given.",
    "engine.fold": "Replaying the journal from the start gives the stored state.",
    "stores.contract": "Memory, SQLite, JSONL and PostgreSQL keep the same contract.",
    "stores.contract-bites": "Deliberately broken stores fail the contract.",
    "stores.notepad-column": "agent_sessions has a text column notepad, NULL until used.",
    "stores.rows": "Spaces, notes, tasks, journal and messages are rows; an edit writes only its own.",
    "stores.purge-leaves-nothing": "A purge leaves no word of a session in the SQLite file or its log.",
    "stores.schema-race": "Processes that open a new database at once do not take each other for strangers.",
    "stores.owner": "Every query is scoped by owner; no other owner's session can be reached.",
    "stores.session-first": "In Postgres every statement on session data names one session first.",
    "stores.synchronous": "SQLite runs in WAL with synchronous=FULL unless a weaker mode is named.",
    "stores.sqlite-version": "A SQLite older than 3.51.3 is named with its fault when a database is opened.",
    "stores.jsonl-torn": "A torn last line of a JSONL file is dropped with a warning.",
    "stores.jsonl-damage": "Damage elsewhere in a JSONL file is an error that names the line.",
    "stores.jsonl-snapshot": "A snapshot line bounds the replay of a JSONL file.",
    "stores.migrations": "An older schema is upgraded, and a process killed on the way leaves it intact.",
    "stores.many-processes":
      "Eight processes writing to one session lose nothing, in a total order, without a busy error.",
    "stores.crash": "A process killed at any moment loses no acknowledged write.",
    "stores.reconnect":
      "After Postgres restarts or cuts a connection, no acknowledged write is lost and none applied twice.",
    "stores.unicode":
      "Every text is the same in every store; NUL is refused, lone surrogates become U+FFFD, CRLF stays.",
    "journal.history": "The journal lists every accepted operation in order, with who, when and what.",
    "journal.diff": "Two revisions can be compared.",
    "journal.undo-last": "The last operation can be undone.",
    "journal.undo-any":
      "Any operation can be undone where it still applies, and is refused with the reason where it does not.",
    "journal.state-at": "The memory as it was at any revision can be read.",
    "journal.feed": "Changes are heard live, in this process and from others.",
    "journal.idempotency": "The same idempotency key twice changes nothing and gives the first answer.",
    "journal.order": "Order comes from sequence numbers: a clock that jumps or stands still changes nothing.",
    "sessions.lifecycle": "Sessions can be created, resumed, listed, archived and deleted.",
    "sessions.fork": "A fork copies everything and is independent of its parent afterwards.",
    "sessions.fork-cost": "Forking copies no notes and no messages.",
    "sessions.spawn": "A spawned session starts empty, or with a copy of the notepad.",
    "sessions.export": "A session can be exported as one JSON document and imported again.",
    "sessions.pi-import": "A pi session file is imported along its current branch only.",
    "sessions.pi-export": "The scratchpad is written back into a pi session file.",
  }),
  ...from("bad input", {
    "bad.types":
      "A wrong type, an unknown action or field, or a missing one is refused with the field's name, and nothing changes.",
    "bad.ids": "An unknown or malformed id is refused with the next step.",
    "bad.text": "NUL is refused; lone surrogates are replaced.",
    "bad.huge": "Over-long content is refused with a typed error.",
    "bad.foreign": "A database that is not ours is left alone.",
    "bad.newer": "A database of a newer schema is left alone.",
    "bad.read-only": "In a read-only place reads work, and a write is refused with a typed error.",
    "bad.full":
      "On a full disk a write is refused with a typed error, reads work, and writes work again when there is space.",
  }),
  ...from("context and tokens", {
    "context.surfaces":
      "session.context() gives the blocks and the guidance of the chosen surfaces, and of no others.",
    "context.one-block": "Any content gives exactly one block, which parses back to the content.",
    "context.cached": "The context of an unchanged session is not rendered again.",
    "tools.duplicate": "Two surfaces with the same tool name are refused at start.",
    "tokens.estimate": "The estimator is within 20 % on prose, code, JSON, hex, base64, UUIDs and CJK.",
    "tokens.exact": "The exact tokenizer equals o200k and copes with long runs.",
    "tokens.calibrate": "Ratios correct themselves from reported usage.",
    "tokens.cache": "An unchanged text is never counted twice.",
  }),
];
