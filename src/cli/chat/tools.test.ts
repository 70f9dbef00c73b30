import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { HoldfastError } from "../../errors.ts";
import { listPaths, readLines } from "./tools.ts";

/** A working directory, and next to it a file that must not be read. */
function makeDirectory(): { directory: string; outside: string } {
  const root = temporaryDirectory();
  const directory = join(root, "work");
  const outside = join(root, "work-secret");
  for (const path of [directory, join(directory, "src"), outside]) mkdirSync(path);
  writeFileSync(join(directory, "src", "main.ts"), "first\nsecond line\nthird\n");
  writeFileSync(join(outside, "key.txt"), "the secret key\n");
  return { directory, outside };
}

function isNotThere(error: unknown): boolean {
  return (
    error instanceof HoldfastError && /^There is no file \S+ in the working directory\./.test(error.message)
  );
}

test("a file is read by lines, with their numbers [chat.files]", async () => {
  const { directory } = makeDirectory();
  assert.equal(await readLines(directory, "src/main.ts"), "1\tfirst\n2\tsecond line\n3\tthird");
  assert.equal(await readLines(directory, "src/../src/main.ts", 2), "2\tsecond line\n3\tthird");
  assert.equal(await readLines(directory, join(directory, "src/main.ts"), 3), "3\tthird");
  await assert.rejects(
    readLines(directory, "src/main.ts", 4),
    /has 3 lines, so there is nothing from line 4\./,
  );
});

test("nothing outside the working directory can be read in any way [chat.files]", async () => {
  const { directory, outside } = makeDirectory();
  symlinkSync(join(outside, "key.txt"), join(directory, "link.txt"));
  symlinkSync(outside, join(directory, "linked"));
  symlinkSync(join(outside, "nothing.txt"), join(directory, "dangling.txt"));
  for (const path of [
    "../work-secret/key.txt",
    join(outside, "key.txt"),
    "link.txt",
    "linked/key.txt",
    "..",
    "/etc/passwd",
  ]) {
    await assert.rejects(readLines(directory, path), isNotThere, path);
  }
  // The same message for a file that does not exist: which ones exist outside is not revealed.
  for (const path of ["../work-secret/none.txt", "linked/none.txt", "/none/none.txt", "dangling.txt"])
    await assert.rejects(readLines(directory, path), isNotThere, path);
  assert.equal(await listPaths(directory), "src/main.ts");
});

test("links that stay inside are followed [chat.files]", async () => {
  const { directory } = makeDirectory();
  symlinkSync(join(directory, "src"), join(directory, "source"));
  assert.match(await readLines(directory, "source/main.ts"), /second line/);
  // The list has each file once and does not loop.
  symlinkSync(directory, join(directory, "src", "round"));
  assert.equal(await listPaths(directory), "src/main.ts");
});

test("an unreadable file is rejected with the reason [chat.files]", async () => {
  const { directory } = makeDirectory();
  writeFileSync(join(directory, "picture.png"), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]));
  await assert.rejects(readLines(directory, "picture.png"), /picture\.png is a binary file/);
  await assert.rejects(readLines(directory, "none.ts"), /There is no file none\.ts.*list_files/);
  await assert.rejects(readLines(directory, "src/main.ts/x"), /There is no file/);
  await assert.rejects(readLines(directory, "src"), /src is not a file/);
  await assert.rejects(readLines(directory, "a\0b"), /There is no file/);
});

test("a file of 5 MB is read in parts, each saying how to get the next, and a larger one is refused [chat.files]", async () => {
  const { directory } = makeDirectory();
  const lines = Array.from({ length: 100_000 }, (_, index) => `row ${index + 1} ${"x".repeat(40)}`);
  writeFileSync(join(directory, "big.csv"), lines.join("\n"));
  const first = await readLines(directory, "big.csv");
  const next = Number(/of 100000\. For the rest call read_file with from_line: (\d+)\.\]$/.exec(first)?.[1]);
  assert.equal(next, 501);
  const second = await readLines(directory, "big.csv", next);
  assert.ok(second.startsWith(`${next}\trow ${next} `));
  assert.equal(await readLines(directory, "big.csv", 100_000), `100000\t${lines.at(-1)}`);
  writeFileSync(join(directory, "huge.json"), "y".repeat(10_000_001));
  await assert.rejects(readLines(directory, "huge.json"), /has 10000001 bytes; the limit is 10000000/);
});

test("a list leaves out files that are not the user's, can be narrowed, and is bounded [chat.files]", async () => {
  const { directory } = makeDirectory();
  for (const skipped of [".git", "node_modules"]) {
    mkdirSync(join(directory, skipped));
    writeFileSync(join(directory, skipped, "copy.ts"), "");
  }
  writeFileSync(join(directory, "README.md"), "");
  assert.equal(await listPaths(directory), "README.md\nsrc/main.ts");
  assert.equal(await listPaths(directory, "src/"), "src/main.ts");
  assert.equal(await listPaths(directory, ".py"), "There is no such file.");
  for (let number = 0; number < 500; number++) writeFileSync(join(directory, `z${number}`), "");
  const many = (await listPaths(directory)).split("\n");
  assert.equal(many.length, 501);
  assert.equal(many.at(-1), '[There are more than 500 files. Narrow the list with "within".]');
});
