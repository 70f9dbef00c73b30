import { from } from "./requirement.ts";

export const sandbox = from("sandbox", {
  "sandbox.run":
    "A program is TypeScript or JavaScript, takes any JSON as input, can await, and returns JSON.",
  "sandbox.errors":
    "A program that does not compile or throws is answered with the line, the reason and its log.",
  "sandbox.api":
    "Notepad, notes, scratchpad, session.scratch and state work inside; each call is journaled and attributed to the tool.",
  "sandbox.budget": "What a budget refuses is thrown in the program; what it cuts is in the log.",
  "sandbox.parallel": "Many calls of one program and several programs at once lose nothing.",
  "sandbox.isolation": "Nothing of one program is left for the next.",
  "sandbox.key": "The same call with the same idempotency key changes memory once.",
  "sandbox.output": "A long log or value is cut with the way to read the rest, and all of it can be read.",
  "sandbox.host-tools": "Programs reach the host tools that were allowed, with checked input, and no others.",
  "sandbox.tools":
    "Tools that the agent made are versioned, listed with summaries, and called like any other in every session of the agent.",
  "sandbox.create-tool": "A tool with a taken or bad name, an unusable schema or broken code is refused.",
  "sandbox.killed": "What a tool appended before it was killed is in the notepad.",
  "sandbox.abort": "An abort ends a program, closing the sandbox ends them all, and both are told.",
  "sandbox.limits": "Limits are checked when they are set, and a run can only have less than its sandbox.",
  "sandbox.hostile":
    "Hostile programs end at their limits, the process stays under its memory cap, and the next call works.",
  "sandbox.outside":
    "The host enforces every limit as well, whatever its worker says, and answers only what was offered.",
  "sandbox.idle": "Idle workers keep no process alive.",
  "sandbox.built": "The built package finds its worker.",
  "sandbox.controller":
    "A tool that the agent makes in one turn of the controller runs in the next and leaves its progress.",
  "sandbox.mcp": "A tool that the agent makes over MCP is listed and called over MCP.",
});
