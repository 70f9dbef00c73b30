import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { calls, conversation, result } from "../../../test/support/conversation.ts";
import { gatherSightings } from "./gather.ts";
import { isWordlike, namesIn } from "./names.ts";

const found = (text: string) => namesIn(text).map(({ kind, text: name }) => `${kind} ${name}`);

test("finds paths in one spelling, symbols, flags, addresses, ids, versions and codes [controller.names]", () => {
  for (const [text, ...names] of [
    ["see ./src/a.ts:12, then.", "path src/a.ts"],
    ["'/home/u/p/b.py'", "path /home/u/p/b.py"],
    ["app/[id]/page.tsx", "path app/[id]/page.tsx"],
    ["$HOME/bin/tool", "path $HOME/bin/tool"],
    ["C:\\Users\\x\\y.txt", "path C:\\Users\\x\\y.txt"],
    ["~/.config/x .env", "path ~/.config/x", "file .env"],
    ["getName() FooBar snake_case", "symbol getName", "symbol FooBar", "symbol snake_case"],
    ["this.list.addItem(x)", "dotted this.list.addItem", "symbol addItem"],
    ["--no-verify=1 -x", "flag --no-verify"],
    [
      "http://x.org/y?a=b. 127.0.0.1:8080 localhost:3000",
      "url http://x.org/y?a=b",
      "url 127.0.0.1:8080",
      "url localhost:3000",
    ],
    ["ENOENT TS2345 ABC-42 #123", "code ENOENT", "code TS2345", "code ABC-42", "code #123"],
    [
      "v1.2.3 20.1.0-rc.1 deadbeef1 65189",
      "version v1.2.3",
      "version 20.1.0-rc.1",
      "hash deadbeef1",
      "number 65189",
    ],
    ['"a\\nfoo_bar"', "symbol foo_bar"],
    ["toolu_01AbCdEfGh2345678 call_type", "symbol call_type"],
    [".vertical .gitignore .com .168 http: 58AM", "dotted .vertical", "file .gitignore"],
    ["日本語/ファイル.ts", "path 日本語/ファイル.ts"],
  ] as const)
    assert.deepEqual(found(text), names, text);
});

test("words, fractions, replacements, properties and closing tags are no paths [controller.names]", () => {
  for (const text of [
    "m/g n/g s/new s/old/new/g",
    "1/2 I/O",
    "x).map(y)",
    "</div> </summary>",
    "CRITICAL Words here",
    "3.14 12%",
    "$5/mo",
    "MIIB6TCCAXCgAwIBAgIMAQAAAAAAAAAAKNwyMAoGCCqGSM49BAMDMBsxGTAXBgNV",
  ])
    assert.deepEqual(found(text), [], text);
  for (const { kind, text } of namesIn("Blocky/Pi-hole/AdGuard")) assert.notEqual(kind, "path", text);
  for (const { kind, text } of namesIn("Left/right and/or real-time"))
    assert.ok(isWordlike(kind), `${kind} ${text}`);
});

test("every name is part of the text, in any text and in linear time [controller.names]", () => {
  const piece = fc.constantFrom(
    "/",
    ".",
    "-",
    "--",
    ":",
    "\\",
    "[",
    "]",
    "a",
    "B",
    "_",
    "9",
    " ",
    "$",
    "é",
    "漢",
    "👩",
    "::",
    "://",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.array(piece).map((parts) => parts.join("")),
      ),
      (text) => {
        for (const name of namesIn(text)) assert.ok(text.includes(name.text), JSON.stringify(name));
      },
    ),
  );
  const time = (text: string) => {
    const start = performance.now();
    namesIn(text);
    return performance.now() - start;
  };
  for (const part of ["a/", "a:", "a.b:1", "[a]/", "x_", "1,", "\\n", "a[b"]) {
    time(part.repeat(20_000));
    const [short, long] = [time(part.repeat(20_000)), time(part.repeat(160_000))];
    assert.ok(long < 30 * Math.max(short, 20), `${part}: ${short} ms, ${long} ms`);
  }
});

test("what only looks like a path is none: flags, alternatives, endings, keys, folders cut at a space [controller.names]", () => {
  const kinds = (text: string) => namesIn(text).map(({ text: name, kind }) => `${kind} ${name}`);
  const noPath = (text: string) =>
    assert.ok(
      kinds(text).every((name) => !/^(?:path|file) /.test(name)),
      `${text}: ${kinds(text).join(", ")}`,
    );
  for (const text of [
    "auditpol /set /subcategory:Logon /success:enable",
    "start/stop/restart and min/avg/max/stddev",
    "all .exe and .dll files, in Node.js",
    "key z2Pk0Qlps9Kkhb9EXKRDVqbz2mBXNYLT/RPlYT/ukHw=",
    "C:\\Program Files\\Git and ~/Library/Application Support",
    "docs\\notes.md and docs\\readme.md",
    "-//Apple//DTD PLIST 1.0//EN",
  ])
    noPath(text);
  assert.deepEqual(kinds("sizes 864K 11Gi 718KB 320MHz; ELEVATED, EXCELLENT, ENABLED"), []);
  assert.deepEqual(kinds("ENOENT in /tmp and /etc/hosts, .env and src/compaction/need-1"), [
    "code ENOENT",
    "path /tmp",
    "path /etc/hosts",
    "file .env",
    "path src/compaction/need-1",
  ]);
  assert.deepEqual(kinds("a\\nsrc/a.ts"), [], "after a word, it may be the folder nsrc");
  assert.deepEqual(kinds('"\\nsrc/a.ts"'), ["path src/a.ts"]);
});

test("a name begins behind the colour of a terminal, and a text that is cut leaves no half names [controller.names]", () => {
  const coloured = gatherSightings(
    conversation(
      calls("Bash", { command: "npm test" }),
      result("\u001b[31msrc/cart.ts\u001b[0m [33mWARN_CART"),
    ),
  );
  assert.deepEqual([...coloured.names.keys()], ["src/cart.ts", "WARN_CART"]);
  const long = Array.from({ length: 2_000 }, (_, index) => `src/part/module${index}/index.tsx`);
  const cut = gatherSightings(conversation(calls("Bash", { command: "npm test" }), result(long.join(" "))));
  for (const name of cut.names.keys()) assert.ok(long.includes(name), name);
});

test("a property that ends like a file is none [controller.names]", () => {
  for (const name of ["date.test", "items.map", "console.log"])
    assert.deepEqual(
      namesIn(`use ${name} here`).map(({ kind }) => kind),
      ["dotted"],
      name,
    );
  assert.deepEqual(
    namesIn("see cart.test.ts and bundle.js.map").map(({ kind }) => kind),
    ["file", "file"],
  );
});

test("a text of megabytes without a space is no name, and does not overflow the stack [controller.names]", () => {
  for (const [start, part] of [
    ["", "a::b"],
    ["", "a/[b]"],
    ["http://", "a/[b]"],
    ["a", "://"],
    ["C:", "\\ab"],
  ] as const) {
    const names = namesIn(`see src/cart.ts ${start}${part.repeat(4_000_000)} now`);
    assert.deepEqual(names[0], { text: "src/cart.ts", kind: "path" }, part);
  }
});
