import { from } from "./requirement.ts";

export const locks = from("locks", {
  "locks.timeout":
    "While another process holds a store, a call waits as long as its lock timeout, without blocking the event loop, and then fails with store_busy.",
  "locks.interactive": "Calls from agents, hosts and browsers wait at most two seconds for a lock.",
  "locks.hooks":
    "A compaction that a hook could not show or record because the store was locked is shown and recorded by the next event of the conversation, once.",
  "locks.setting":
    "The setting interactiveLockTimeout says how long agents, hosts, hooks and browsers wait for a lock, in every store.",
  "locks.hosts":
    "In pi and OpenClaw, a call that finds a SQLite file or a Postgres table locked is answered within interactiveLockTimeout with the next step, and changes nothing.",
  "locks.health": "The server's health check answers within 100 ms while another process holds the store.",
});
