import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { loadExactTokenizer } from "./exact-tokens.ts";

const tokenizer = await loadExactTokenizer();
const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
const plain = (text: string): number => countTokens(text, { disallowedSpecial: new Set() });

/** Deterministic pseudo-random numbers below `limit`. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function spell(alphabet: string, length: number): string {
  const random = createRandom(length);
  const letters = [...alphabet];
  return Array.from({ length }, () => letters[random(letters.length)]).join("");
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const BASE64 = `${LOWER}${LOWER.toUpperCase()}0123456789+/`;
const HAN =
  "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天";
const MILLION = 1_000_000;

describe("loadExactTokenizer", () => {
  it("is named o200k and counts 0 for an empty text", () => {
    assert.equal(tokenizer.name, "o200k");
    assert.equal(tokenizer.count(""), 0);
    assert.equal(tokenizer.count("Hello, world!"), 4);
  });

  it("counts special tokens as ordinary text", () => {
    for (const text of ["<|endoftext|>", "a <|im_start|>user<|im_end|> b", "<|endofprompt|><|fim_prefix|>"]) {
      assert.equal(tokenizer.count(text), plain(text));
      assert.ok(tokenizer.count(text) > 1);
    }
  });

  it("agrees with gpt-tokenizer on ordinary text [tokens.exact]", () => {
    const texts = [
      "The quick brown fox doesn't jump over it's own tail; it sleeps.\n\n".repeat(50),
      `export function add(a: number, b: number): number {\n${" ".repeat(40)}return a + b; // ${"=".repeat(120)}\n}\n`,
      JSON.stringify(
        { id: spell("0123456789abcdef", 64), tags: ["a", "b"], nested: { deep: [1, 2.5, null] } },
        null,
        2,
      ),
      "工作记忆必须在压缩之后仍然存在，否则早上做出的决定就会丢失。昨天下午，团队比较了三种不同的存储方式。".repeat(
        20,
      ),
      "記憶は圧縮の後にも残らなければならない。昨日の午後、チームは三つの保存方法を比べた。".repeat(20),
      "Память помощника должна пережить сжатие разговора. ".repeat(30),
      `${"/usr/local/lib/node_modules/".repeat(20)}\n${"| a | b |\n".repeat(100)}`,
      "Deploy 🚀🎉 done ✅ 👩‍💻 🇩🇪 e\u0301 \ud83d lone\r\n\t\tend   ",
      spell(BASE64, 3000),
    ];
    for (const text of texts) assert.equal(tokenizer.count(text), plain(text), text.slice(0, 40));
  });

  it("agrees with gpt-tokenizer on any text without long runs", () => {
    const words = fc.array(
      fc.oneof(fc.string({ unit: "binary" }), fc.lorem(), fc.constantFrom(" ", "\n", "/", "<|", "'s")),
    );
    fc.assert(fc.property(words, (list) => tokenizer.count(list.join(" 1 ")) === plain(list.join(" 1 "))));
  });

  it("stays within 2 % when it cuts a run", () => {
    for (const [alphabet, length] of [
      ["a", 2000],
      [LOWER, 2000],
      [" ", 2000],
      [HAN, 800],
      ["-=", 2000],
      ["/\n", 2000],
    ] as const) {
      const text = spell(alphabet, length);
      const exact = plain(text);
      assert.ok(
        Math.abs(tokenizer.count(text) - exact) <= Math.max(2, exact * 0.02),
        `${alphabet}: ${tokenizer.count(text)}, not ${exact}`,
      );
    }
  });

  const runs: Record<string, () => string> = {
    "equal letters": () => "a".repeat(MILLION),
    "random letters": () => spell(LOWER, MILLION),
    "base64 in one line": () => spell(BASE64, MILLION),
    spaces: () => " ".repeat(MILLION),
    "line ends": () => "\n".repeat(MILLION),
    "slashes and line ends": () => "/\n".repeat(MILLION / 2),
    punctuation: () => spell("!?-+*=<>.,;:", MILLION),
    digits: () => spell("0123456789", MILLION),
    "a megabyte of Chinese without punctuation": () => spell(HAN, Math.ceil(MILLION / 3)),
    "non-ASCII letters and punctuation": () => "ªé×".repeat(MILLION / 3),
  };
  const time = (text: string) => {
    const start = performance.now();
    tokenizer.count(text);
    return performance.now() - start;
  };
  const timeBefore = time("ªé×".repeat(100_000));

  for (const [name, make] of Object.entries(runs)) {
    it(`counts a million of ${name} in time [tokens.exact]`, () => {
      const text = make();
      const start = performance.now();
      const tokens = tokenizer.count(text);
      // Takes about 1 s; without cutting, minutes to hours. The limit leaves room for a busy machine.
      assert.ok(performance.now() - start < 60_000);
      assert.ok(tokens > text.length / 1000 && tokens <= text.length * 3);
    });
  }

  it("does not get slower after counting all that", () => {
    // If the encoder's cache filled up, this would take hundreds of times as long.
    assert.ok(time("×éª".repeat(100_000)) < 50 * Math.max(timeBefore, 100));
  });
});
