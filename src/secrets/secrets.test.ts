import assert from "node:assert/strict";
import { test } from "node:test";
import { findSecrets } from "./find-secrets.ts";
import { maskText, redactText, redactTexts } from "./redact.ts";
import { inContext, makeCorpus } from "./test-support/corpus.ts";

const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

test("more than 25 kinds of secrets are found, however they are written down [secrets.kinds]", (context) => {
  const missed = new Map<string, number>();
  let total = 0;
  const kinds = new Set<string>();
  for (const { secrets } of seeds.map(makeCorpus)) {
    for (const [kind, secret] of secrets) {
      kinds.add(kind);
      for (const text of inContext(kind, secret)) {
        total++;
        if (redactText(text).includes(secret)) missed.set(kind, (missed.get(kind) ?? 0) + 1);
      }
    }
  }
  context.diagnostic(
    `${kinds.size} kinds, ${total} texts, missed ${JSON.stringify(Object.fromEntries(missed))}`,
  );
  assert.ok(kinds.size >= 35, `${kinds.size} kinds`);
  assert.deepEqual(Object.fromEntries(missed), {});
});

test("identifiers, hashes, images, lock files, examples and code are not secrets [secrets.harmless]", (context) => {
  const wrong = seeds.flatMap((seed) =>
    makeCorpus(seed).harmless.flatMap((text) =>
      findSecrets(text).map(({ kind, text: found }) => [kind, found, text]),
    ),
  );
  context.diagnostic(`${wrong.length} of ${seeds.length * makeCorpus(1).harmless.length}`);
  assert.deepEqual(wrong, []);
});

test("a secret is replaced by its kind and a fingerprint that tells secrets apart [secrets.redact]", () => {
  const [[, one = ""] = [], [, two = ""] = []] = [makeCorpus(1), makeCorpus(2)].map(
    ({ secrets }) => secrets[0] ?? [],
  );
  assert.match(redactText(`a ${one} b`), /^a \[REDACTED aws-access-key #[0-9a-f]{6}\] b$/);
  assert.equal(redactText(one), redactText(one));
  assert.notEqual(redactText(one), redactText(two));
  assert.equal(redactText(redactText(one)), redactText(one));
  const value = { list: [{ text: one }, 5, null], plain: "x" };
  assert.ok(!JSON.stringify(redactTexts(value)).includes(one));
  const harmless = { a: ["b"] };
  assert.equal(redactTexts(harmless), harmless);
});

test("a secret is found wherever it stands among words [secrets.kinds]", () => {
  const [, secret = ""] = makeCorpus(4).secrets[0] ?? [];
  const words = "the list of words, of one or of several characters each, a bit of everything ";
  for (let at = 0; at <= words.length; at++) {
    const text = `${words.slice(0, at)} ${secret} ${words.slice(at)}`;
    assert.equal(findSecrets(text).length, 1, text);
  }
});

test("a mask has the length of the secret [secrets.redact]", () => {
  for (const [kind, secret] of makeCorpus(3).secrets) {
    const [text = ""] = inContext(kind, secret);
    const masked = maskText(text);
    assert.equal(masked.length, text.length);
    assert.ok(!masked.includes(secret), kind);
  }
});
