import type { SandboxApi } from "../../src/surfaces/sandbox/index.ts";

const megabyte = 1024 * 1024;

/** Small limits, so that hostile programs hit them soon. */
export const hostileLimits = {
  cpuMilliseconds: 100,
  wallMilliseconds: 2_000,
  outputCharacters: 100_000,
  operations: 50,
};

/** A minimal session API. */
export const hostileApi: SandboxApi = {
  paths: ["session.notepad.append", "session.notepad.read", "session.notes.all", "tools.never"],
  async call(path) {
    if (path === "tools.never") return new Promise(() => undefined);
    return { value: path === "session.notes.all" ? "n".repeat(3 * megabyte) : "notepad text" };
  },
};

/** The allowed outcomes: a limit, the program's own error, or a harmless value. */
export type Verdict =
  | "cpu"
  | "wall"
  | "memory"
  | "stack"
  | "output"
  | "operations"
  | "failed"
  | "syntax"
  | { value: unknown };

export const hostilePrograms: Record<string, [code: string, ...verdicts: Verdict[]]> = {
  "endless loop": ["while (true) {}", "cpu"],
  "endless loop in finally": ["try { while (true) {} } finally { while (true) {} }", "cpu"],
  "interruption caught by an async function": [
    "const f = async () => { while (true) {} }; for (;;) { try { await f(); } catch {} }",
    "cpu",
  ],
  "endless generator": ["function* g() { while (true) yield 1; } for (const x of g()) {}", "cpu"],
  "regular expression bomb": ['/^(a+)+$/.test("a".repeat(40) + "b")', "cpu"],
  "regular expression bomb in replace": ['("x".repeat(30) + "!").replace(/(x+x+)+y/g, "")', "cpu"],
  "one built-in function that takes forever": [
    'return "x".repeat(8e6).replaceAll("x", "yy").length',
    "cpu",
    "memory",
  ],
  "huge array": ["const a = []; while (true) a.push([1, 2, 3]);", "memory", "cpu"],
  "array filled": ["new Array(2 ** 31).fill(0)", "memory", "cpu"],
  "JSON.stringify of millions": ["JSON.stringify(new Array(3_000_000).fill(1.5)).length", "memory", "cpu"],
  "JSON.stringify again and again": [
    "const a = new Array(400_000).fill(1.5); for (;;) JSON.stringify(a);",
    "cpu",
    "memory",
  ],
  "sort with an inconsistent comparator": [
    "new Array(2_000_000).fill(0).map(Math.random).sort(() => 1)",
    "cpu",
    "memory",
  ],
  "string doubling": ['let s = "x"; for (;;) s += s;', "memory", "failed", "cpu"],
  "map growth": ["const m = new Map(); for (let i = 0; ; i++) m.set(i, { i });", "memory", "cpu"],
  "set growth": ["const s = new Set(); for (let i = 0; ; i++) s.add('x' + i);", "memory", "cpu"],
  "array buffer bomb": ["const a = []; for (;;) a.push(new ArrayBuffer(1 << 20));", "memory"],
  "one giant buffer": ["new Uint8Array(2 ** 30).fill(1).length", "memory"],
  "memory errors swallowed": [
    "const a = []; for (;;) { try { for (;;) a.push(new Array(1000).fill(a)); } catch {} }",
    "cpu",
    "memory",
  ],
  recursion: ["const f = () => f() + 1; return f();", "stack"],
  "recursion caught": [
    "const f = () => { try { return f(); } catch { return f(); } }; return f();",
    "cpu",
    "stack",
  ],
  "recursion through toString": ["const o = { toString() { return '' + o; } }; return '' + o;", "stack"],
  "deeply nested source": [`${"(".repeat(50_000)}1${")".repeat(50_000)}`, "syntax", "stack", "cpu"],
  "deeply nested value": [
    "let v = []; for (let i = 0; i < 1e6; i++) v = [v]; return v;",
    "stack",
    "failed",
    "memory",
    "cpu",
  ],
  "promise flood": ["for (;;) Promise.resolve().then(() => 1);", "memory", "cpu"],
  "microtask loop": ["const again = () => Promise.resolve().then(again); await again();", "cpu", "memory"],
  "thenable without end": ["const t = { then(r) { r(t); } }; await t;", "cpu", "memory"],
  "output flood": ['for (;;) console.log("x".repeat(1000));', "output"],
  "output flood of few long lines": ['for (;;) console.log("x".repeat(90_000));', "output"],
  "output flood, caught": ['for (;;) try { console.log("x".repeat(90_000)); } catch {}', "output", "cpu"],
  "long arguments, not awaited": ['for (;;) session.notepad.append("x".repeat(90_000));', "output"],
  "output flood of empty lines": ["for (;;) console.log();", "output"],
  "giant value": ['return "x".repeat(5_000_000)', "output"],
  "giant error": [
    'const e = new Error("x".repeat(1e6)); e.stack = "y".repeat(1e7); throw e;',
    "failed",
    "memory",
  ],
  "API flood": ['for (;;) session.notepad.append("x");', "operations"],
  "API flood, awaited": ['for (;;) await session.notepad.append("x");', "operations"],
  "answers piled up": ["for (let i = 0; i < 50; i++) session.notes.all(); for (;;) {}", "cpu", "memory"],
  "giant argument": ['await session.notepad.append("x".repeat(5_000_000));', "output"],
  "a call that never ends": ["await tools.never({});", "wall"],
  "awaiting forever": ["await new Promise(() => {});", "failed"],
  "toJSON trap": ["return { toJSON() { for (;;) {} } };", "cpu"],
  "getter trap": ["return { get a() { for (;;) {} } };", "cpu"],
  "proxy trap": ["return new Proxy({}, { ownKeys() { for (;;) {} }, get() { for (;;) {} } });", "cpu"],
  "error whose message is a trap": ["throw { get message() { for (;;) {} }, name: 1 };", "cpu"],
  "cyclic value": ["const a = {}; a.a = a; return a;", "failed"],
  "BigInt value": ["return 1n;", "failed"],
  "symbol tricks": ["const o = { [Symbol.toPrimitive]() { for (;;) {} } }; console.log('' + o);", "cpu"],
  process: ["return process.env", "failed"],
  require: ['return require("node:fs")', "failed"],
  fetch: ['return fetch("http://127.0.0.1")', "failed"],
  "import of the file system": ['return import("node:fs")', "failed"],
  "import statement": ['import fs from "node:fs";\nreturn fs', "syntax"],
  "Atomics.wait": ["Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)", "failed"],
  "Function constructor": [
    'return Function("return typeof process + typeof require + typeof globalThis.host")()',
    { value: "undefinedundefinedundefined" },
  ],
  "constructor escape": [
    'const F = session.notepad.append.constructor; return [F("return typeof process")(), F("return this")() === globalThis]',
    { value: ["undefined", true] },
  ],
  "constructor escape through an answer": [
    'const p = session.notepad.read(); await p; return p.constructor.constructor("return typeof process")()',
    { value: "undefined" },
  ],
  "constructor escape through an error": [
    'try { await tools.none(); } catch (e) { return e.constructor.constructor("return typeof process")() }',
    { value: "undefined" },
  ],
  "prototype pollution": [
    'Object.prototype.then = () => { for (;;) {} }; Array.prototype.toJSON = () => "forged"; Object.prototype.polluted = 1; JSON.stringify = () => "forged"; return { a: 1 };',
    "cpu",
    "failed",
  ],
  "pollution of the API": [
    "try { session.notepad.append = () => 1; } catch (e) { return [Object.isFrozen(session.notepad), e.name] }",
    { value: [true, "TypeError"] },
  ],
  "built-ins replaced": [
    "Promise.prototype.then = undefined; Reflect.apply = undefined; Map.prototype.get = undefined; JSON.parse = undefined; return await session.notepad.read()",
    { value: "notepad text" },
  ],
};
