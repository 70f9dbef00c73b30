import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { cachedTokenizer, calibratedTokenizer, type Tokenizer } from "./tokens.ts";

/** Counts characters, and records the texts it counted. */
function createFake(): Tokenizer & { readonly counted: string[] } {
  const counted: string[] = [];
  return {
    name: "fake",
    counted,
    count(text) {
      counted.push(text);
      return text.length;
    },
  };
}

const numbered = (length: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${index}`.padEnd(length, "x"));

describe("cachedTokenizer", () => {
  it("counts an unchanged text once [tokens.cache]", () => {
    const fake = createFake();
    const cached = cachedTokenizer(fake);
    const texts = ["", "short", "x".repeat(100_000)];
    const first = texts.map((text) => cached.count(text));
    const second = texts.map((text) => cached.count(`${text}`));
    assert.deepEqual(second, first);
    assert.deepEqual(first, [0, 5, 100_000]);
    assert.deepEqual(fake.counted, texts);
    assert.equal(cached.name, "fake");
  });

  it("counts a changed text again", () => {
    const fake = createFake();
    const cached = cachedTokenizer(fake);
    cached.count("x".repeat(1000));
    assert.equal(cached.count(`${"x".repeat(999)}y`), 1000);
    assert.equal(fake.counted.length, 2);
  });

  for (const length of [20, 1000]) {
    it(`caches at most maxEntries texts of ${length} characters`, () => {
      const fake = createFake();
      const cached = cachedTokenizer(fake, { maxEntries: 10 });
      const texts = numbered(length, 50);
      for (const text of texts) cached.count(text);
      fake.counted.length = 0;
      for (const text of texts.toReversed()) cached.count(text);
      assert.ok(texts.length - fake.counted.length <= 10);
      assert.ok(!fake.counted.includes(texts[49] ?? ""), "the newest text is cached");
    });

    it(`caches at most maxCharacters characters, in texts of ${length}`, () => {
      const fake = createFake();
      const cached = cachedTokenizer(fake, { maxCharacters: length * 10 });
      const texts = numbered(length, 50);
      for (const text of texts) cached.count(text);
      fake.counted.length = 0;
      for (const text of texts.toReversed()) cached.count(text);
      assert.ok((texts.length - fake.counted.length) * length <= length * 10);
      assert.ok(!fake.counted.includes(texts[49] ?? ""), "the newest text is cached");
    });
  }

  it("evicts the least recently used text", () => {
    const fake = createFake();
    const cached = cachedTokenizer(fake, { maxEntries: 6 });
    for (const text of ["one", "two", "three", "one", "four"]) cached.count(text);
    fake.counted.length = 0;
    cached.count("one");
    assert.deepEqual(fake.counted, []);
    cached.count("two");
    assert.deepEqual(fake.counted, ["two"]);
  });

  it("keeps long texts through a flood of short ones, and short texts through long ones", () => {
    const fake = createFake();
    const cached = cachedTokenizer(fake, { maxEntries: 100, maxCharacters: 1_000_000 });
    const long = "long ".repeat(50_000);
    cached.count(long);
    for (const text of numbered(20, 10_000)) cached.count(text);
    const short = "short";
    cached.count(short);
    for (const text of numbered(10_000, 500)) cached.count(text);
    fake.counted.length = 0;
    cached.count(short);
    assert.deepEqual(fake.counted, []);

    const fresh = cachedTokenizer(fake, { maxEntries: 100, maxCharacters: 1_000_000 });
    fresh.count(long);
    for (const text of numbered(20, 10_000)) fresh.count(text);
    fake.counted.length = 0;
    fresh.count(long);
    assert.deepEqual(fake.counted, []);
  });

  it("does not cache a text longer than the cache", () => {
    const fake = createFake();
    const cached = cachedTokenizer(fake, { maxCharacters: 1000 });
    cached.count("kept".padEnd(300));
    assert.equal(cached.count("x".repeat(5000)), 5000);
    cached.count("kept".padEnd(300));
    assert.equal(fake.counted.length, 2);
  });

  it("never changes a count", () => {
    const texts = fc.array(fc.oneof(fc.string(), fc.string({ minLength: 256, maxLength: 600 })), {
      maxLength: 60,
    });
    const sizes = { maxEntries: fc.nat(8), maxCharacters: fc.nat(2000) };
    fc.assert(
      fc.property(texts, fc.record(sizes), (list, options) => {
        const cached = cachedTokenizer(createFake(), options);
        for (const text of [...list, ...list]) assert.equal(cached.count(text), text.length);
      }),
    );
  });
});

describe("calibratedTokenizer", () => {
  it("starts from the inner tokenizer's counts", () => {
    const calibrated = calibratedTokenizer(createFake());
    assert.equal(calibrated.ratio, 1);
    assert.equal(calibrated.count("x".repeat(123)), 123);
    assert.equal(calibrated.name, "fake");
  });

  it("converges to the counts of a provider that counts differently [tokens.calibrate]", () => {
    for (const factor of [0.6, 0.9, 1.25, 1.8]) {
      const calibrated = calibratedTokenizer(createFake());
      const text = "x".repeat(10_000);
      for (let call = 0; call < 30; call++) calibrated.observe(calibrated.count(text), text.length * factor);
      assert.ok(Math.abs(calibrated.count(text) / (text.length * factor) - 1) < 0.01, `factor ${factor}`);
    }
  });

  it("believes a higher count at once, and a lower one only partly", () => {
    const calibrated = calibratedTokenizer(createFake());
    calibrated.observe(1000, 1400);
    assert.equal(calibrated.ratio, 1.4);
    calibrated.observe(1000, 714);
    assert.ok(calibrated.ratio > 1.2 && calibrated.ratio < 1.4);
  });

  it("starts with what an earlier process learned, until it has learned its own", () => {
    const calibrated = calibratedTokenizer(createFake());
    calibrated.start(1.8);
    assert.equal(calibrated.ratio, 1.8);
    calibrated.start(0.6);
    assert.equal(calibrated.ratio, 1.8);
    const other = calibratedTokenizer(createFake());
    other.observe(100, 150);
    other.start(3);
    assert.equal(other.ratio, 1.5);
  });

  it("ignores invalid numbers", () => {
    const calibrated = calibratedTokenizer(createFake());
    for (const bad of [0, -5, Number.NaN, Number.POSITIVE_INFINITY]) {
      calibrated.observe(bad, 100);
      calibrated.observe(100, bad);
    }
    assert.equal(calibrated.ratio, 1);
  });

  it("keeps its ratio between 0.5 and 4 whatever is reported", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.double(), fc.double())), (reports) => {
        const calibrated = calibratedTokenizer(createFake());
        for (const [counted, reported] of reports) calibrated.observe(counted, reported);
        assert.ok(calibrated.ratio >= 0.5 && calibrated.ratio <= 4);
      }),
    );
  });
});
