import { from } from "./requirement.ts";

export const sandbox = from("sandbox", {
  "sandbox.run":
    "A program is TypeScript or JavaScript, takes any JSON as input, can await, and returns JSON.",
  "sandbox.errors": "A program that does not compile or throws returns the line, the reason and its log.",
  "sandbox.api":
    "Notepad, notes, scratchpad, session.scratch and state work inside; each call is journaled and attributed to the tool.",
  "sandbox.budget": "What a budget rejects throws in the program; what it cuts is in the log.",
  "sandbox.parallel": "Many calls of one program and several concurrent programs lose nothing.",
  "sandbox.isolation": "One program leaves nothing behind for the next.",
  "sandbox.key": "The same call with the same idempotency key changes memory once.",
  "sandbox.output": "A long log or value is cut, with how to read the rest, and all of it can be read.",
  "sandbox.host-tools": "Programs reach only the allowed host tools, with validated input.",
  "sandbox.tools":
    "Tools that the agent made are versioned, listed with summaries, and called like any other in all its sessions.",
  "sandbox.create-tool":
    "A tool with a name in use, an invalid name, an unusable schema or broken code is rejected.",
  "sandbox.killed": "What a tool appended before it was killed is in the notepad.",
  "sandbox.abort": "An abort ends a program, closing the sandbox ends all of them, and both are reported.",
  "sandbox.limits": "Limits are validated when set, and a run can only lower its sandbox's limits.",
  "sandbox.hostile":
    "Hostile programs end at their limits, the process stays under its memory cap, and the next call works.",
  "sandbox.outside":
    "The host also enforces every limit, whatever its worker says, and answers only what it offered.",
  "sandbox.idle": "A sandbox keeps no process alive when no program runs.",
  "sandbox.built": "The built package finds its worker.",
  "sandbox.controller":
    "A tool that the agent makes in one turn of the controller runs in the next and leaves its progress.",
  "sandbox.mcp": "A tool that the agent makes over MCP is listed and called over MCP.",
});
