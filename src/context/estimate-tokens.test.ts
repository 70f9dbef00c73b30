import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { estimateTokens } from "./estimate-tokens.ts";

let state = 20_260_101;
/** A deterministic pseudo-random number below `limit`. */
function random(limit: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
}
const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
const times = (count: number, make: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => make(index));
const spell = (alphabet: string, length: number): string =>
  times(length, () => alphabet.charAt(random(alphabet.length))).join("");
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const HEX = "0123456789abcdef";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const BASE64 = `${LOWER.toUpperCase()}${LOWER}0123456789+/`;
const VERBS =
  "get set parse read write load find make render count merge open close resolve update remove check".split(
    " ",
  );
const NOUNS =
  "session notepad token message store entry context result limit owner cursor buffer index request window".split(
    " ",
  );
const FOLDERS =
  "src lib test packages node_modules engine stores fixtures middleware holdfast kysely esbuild vendor".split(
    " ",
  );
const LEVELS = ["INFO", "DEBUG", "WARN", "ERROR"];

const camel = (): string =>
  pick(VERBS) + capital(pick(NOUNS)) + (random(3) === 0 ? capital(pick(NOUNS)) : "");
const snake = (): string => `${pick(VERBS)}_${pick(NOUNS)}`;
const pascal = (): string => capital(camel());
const shout = (): string => `${pick(VERBS)}-${pick(NOUNS)}`.toUpperCase();
const windowsPath = (): string =>
  `C:\\Users\\${capital(pick(NOUNS))}\\AppData\\Local\\${pascal()}\\${pick(VERBS)}.${pick(["exe", "log"])}`;
const uuid = (): string => [8, 4, 4, 4, 12].map((length) => spell(HEX, length)).join("-");
const stamp = (): string =>
  `2026-0${1 + random(9)}-1${random(10)}T1${random(10)}:${10 + random(50)}:${10 + random(50)}.${100 + random(900)}Z`;
const path = (): string =>
  `${times(2 + random(4), () => pick(FOLDERS)).join("/")}/${pick(VERBS)}-${pick(NOUNS)}.${pick(["ts", "js", "json", "md"])}`;
const url = (): string =>
  `https://${pick(["api", "www", "docs"])}.example.com/${pick(FOLDERS)}/${pick(NOUNS)}s/${random(9999)}?${pick(NOUNS)}=${random(50)}&sort=${pick(VERBS)}`;
const row = () => ({
  id: random(100_000),
  name: `${capital(pick(NOUNS))} ${pick(VERBS)}`,
  [pick(NOUNS)]: pick([true, false, null]),
  createdAt: stamp(),
  tags: [pick(NOUNS), pick(VERBS)],
  score: random(1000) / 10,
  owner: { id: uuid(), path: path() },
});

const PROSE: Record<string, string> = {
  English:
    "The notebook on the kitchen table had been there since the storm, and nobody wanted to be the first to open it. When the harbour froze over, the ferries stopped running and the islanders walked to the mainland across two miles of ice. She explained that a good summary keeps the decisions and throws away the discussion. Most of the engineers agreed, although one of them insisted that the reasons mattered more than the outcome. It's hard to say whether the new schedule will save time; we've measured it twice and got different answers. If you don't write it down before the meeting ends, you will remember the jokes but not the numbers. The museum, which had reopened in spring, was quieter than anyone expected. “Nothing lasts,” he said, “except the things we bother to repeat.” Later that evening they compared three approaches, discarded the most complicated one, and went home early.",
  German:
    "Das Gedächtnis des Assistenten muss die Zusammenfassung des Gesprächs überstehen, sonst gehen die Entscheidungen vom Vormittag verloren. Gestern Nachmittag hat die Arbeitsgruppe drei verschiedene Möglichkeiten geprüft und sich für die einfachste entschieden. Wenn das Meer ruhig ist, fahren die Fischer vor Sonnenaufgang hinaus und kommen mittags zurück. Die Straßenbahn hielt mitten auf der Brücke, weil jemand seinen Regenschirm vergessen hatte.",
  French:
    "La mémoire de l'assistant doit survivre au résumé de la conversation, sinon les décisions prises le matin sont perdues. Hier après-midi, l'équipe a comparé trois façons différentes de conserver les données et a choisi la plus simple. Quand la mer est calme, les pêcheurs partent avant le lever du soleil et reviennent vers midi. Le livre que tu m'as prêté raconte comment la ville a grandi autour du vieux port.",
  Chinese:
    "助手的工作记忆必须在对话被压缩之后仍然存在，否则早上做出的决定就会丢失。昨天下午，团队检查了三种不同的存储方法，最后选择了最简单的一种。海面平静的时候，渔民在日出之前出海，中午才回来。你给我的那本书讲述了城市如何围绕旧港口发展起来。没有必要着急，因为火车两个小时以后才开，而且车站离这里很近。测量结果表明，修改之后响应时间减少了三分之一。如果会议结束之前没有写下来，大家只会记得笑话，而不会记得数字。",
  Japanese:
    "アシスタントの作業記憶は、会話が要約された後も残らなければならない。そうでないと、朝に決めたことが失われてしまう。昨日の午後、チームは三つの保存方法を比較し、最も簡単なものを選んだ。海が穏やかなとき、漁師たちは日の出前に出発して、昼ごろに戻ってきます。あなたが貸してくれた本には、古い港のまわりに町がどのように広がったかが書かれています。電車は二時間後に出るので、急ぐ必要はありません。データベースのバックアップは毎晩サーバーに保存されます。",
  Korean:
    "도우미의 작업 기억은 대화가 요약된 뒤에도 남아 있어야 하며, 그렇지 않으면 아침에 내린 결정이 사라진다. 어제 오후 팀은 세 가지 저장 방법을 살펴보고 가장 간단한 것을 골랐다. 바다가 잔잔하면 어부들은 해가 뜨기 전에 나가서 점심때 돌아온다. 네가 빌려준 책은 오래된 항구를 중심으로 도시가 어떻게 커졌는지 설명한다. 기차는 두 시간 뒤에 출발하고 역도 가까우니까 서두를 필요가 없습니다. 측정 결과에 따르면 응답 시간이 삼분의 일로 줄었습니다.",
  Russian:
    "Рабочая память помощника должна пережить сжатие разговора, иначе решения, принятые утром, будут потеряны. Вчера днём команда рассмотрела три разных способа хранения и выбрала самый простой. Когда море спокойно, рыбаки выходят до восхода солнца и возвращаются к полудню. Книга, которую ты мне дал, рассказывает, как город вырос вокруг старого порта. Измерения показывают, что время ответа сократилось на треть.",
  Greek:
    "Η μνήμη εργασίας του βοηθού πρέπει να επιβιώνει όταν η συνομιλία συμπιέζεται, αλλιώς χάνονται οι αποφάσεις που πάρθηκαν το πρωί. Χθες το απόγευμα η ομάδα εξέτασε τρεις διαφορετικούς τρόπους αποθήκευσης και διάλεξε τον απλούστερο. Όταν η θάλασσα είναι ήρεμη, οι ψαράδες ξεκινούν πριν από την ανατολή του ήλιου και επιστρέφουν το μεσημέρι.",
  Arabic:
    "يجب أن تبقى ذاكرة العمل للمساعد بعد تلخيص المحادثة، وإلا ضاعت القرارات التي اتخذت في الصباح. بعد ظهر أمس درس الفريق ثلاث طرق مختلفة لحفظ البيانات واختار أبسطها. عندما يكون البحر هادئا يخرج الصيادون قبل شروق الشمس ويعودون عند الظهر. الكتاب الذي أعطيتني إياه يصف كيف كبرت المدينة حول الميناء القديم.",
};

function typescript(): string {
  const [name, argument, local] = [camel(), pick(NOUNS), camel()];
  return `/** ${capital(pick(VERBS))}s the ${pick(NOUNS)} of a ${pick(NOUNS)}, or throws when it is missing. */
export async function ${name}(${argument}: ${capital(pick(NOUNS))}, options: ${capital(pick(NOUNS))}Options = {}): Promise<string[]> {
  const ${local} = await ${argument}.${camel()}({ limit: ${random(500)}, retry: ${pick(["true", "false"])} });
  for (const ${pick(NOUNS)}Item of ${local}.entries()) {
    if (options.${pick(NOUNS)} === undefined || ${local}.size > ${random(9)}) continue;
    this.#${pick(NOUNS)}.push(\`\${${argument}.id}: \${${camel()}(${local})}\`);
  }
  return ${local}.filter((value) => value !== null).map(String);
}
`;
}

function python(): string {
  const [name, argument, local] = [snake(), pick(NOUNS), snake()];
  return `def ${name}(self, ${argument}: str, *, limit: int = ${random(100)}) -> dict[str, int]:
    """${capital(pick(VERBS))} every ${pick(NOUNS)} that belongs to the given ${argument}."""
    ${local} = self._${snake()}(${argument}, limit=limit)
    if not ${local}:
        raise ValueError(f"unknown ${argument}: {${argument}!r}")
    for index, (key, value) in enumerate(sorted(${local}.items())):
        self.${pick(NOUNS)}s[key] = value + index  # keep the order stable
    return {item.name: len(item) for item in ${local}.values() if item is not None}

`;
}

const markdown = (): string =>
  `## ${capital(pick(VERBS))} the ${pick(NOUNS)}\n\nCall \`${camel()}()\` first; see [the ${pick(NOUNS)} guide](${path()}) for **every** option.\n\n- \`${pick(NOUNS)}\`: what to ${pick(VERBS)}, *${random(50)}* by default\n- [ ] ${pick(VERBS)} the ${pick(NOUNS)}\n\n| Name | Size |\n| --- | ---: |\n| ${pick(NOUNS)} | ${random(5000)} kB |\n\n`;
const log = (): string =>
  pick([
    `${stamp()} ${pick(LEVELS)} [${pick(NOUNS)}-${random(20)}] ${pick(VERBS)} ${pick(NOUNS)} failed after ${random(9000)}ms: ${path()}:${random(400)}`,
    `10.0.${random(255)}.${random(255)} - - [1${random(9)}/Mar/2026:10:${10 + random(50)}:${10 + random(50)} +0000] "GET /${pick(NOUNS)}/${random(999)} HTTP/1.1" 200 ${random(90_000)}`,
  ]);

/** The tolerated relative error; at most 20 %, except for line drawings. */
const SAMPLES: Record<string, [tolerance: number, text: string]> = {
  ...Object.fromEntries(
    Object.entries(PROSE).map(([language, text]) => [`${language} prose`, [0.15, `${text}\n\n`.repeat(4)]]),
  ),
  TypeScript: [0.15, times(12, typescript).join("\n")],
  Python: [0.15, times(12, python).join("\n")],
  "compact JSON": [0.15, JSON.stringify(times(40, () => "").map(row))],
  "pretty JSON": [0.15, JSON.stringify(times(40, () => "").map(row), null, 2)],
  "hex in one line": [0.1, spell(HEX, 6000)],
  "hashes in capitals": [0.1, times(100, () => spell(HEX, 40).toUpperCase()).join("\n")],
  "base64 in one line": [0.15, spell(BASE64, 8000)],
  "base64 in lines": [0.15, times(100, () => spell(BASE64, 76)).join("\n")],
  UUIDs: [0.1, times(150, uuid).join("\n")],
  "UUIDs in JSON": [0.1, JSON.stringify(times(150, uuid))],
  URLs: [0.15, times(80, url).join("\n")],
  "file paths": [0.15, times(120, path).join("\n")],
  "names in camel case": [0.1, times(150, () => pick([camel, pascal])()).join(" ")],
  "names in capitals": [0.1, times(150, () => `${shout()}.md`).join(" ")],
  "Windows paths": [0.1, times(80, windowsPath).join(" ")],
  "log lines": [0.15, times(60, log).join("\n")],
  "whole numbers in CSV": [0.05, times(150, () => times(6, () => `${random(100_000)}`).join(",")).join("\n")],
  "fractions in columns": [
    0.05,
    times(150, () => times(6, () => (random(100_000) / 100).toFixed(2).padStart(10)).join(" ")).join("\n"),
  ],
  Markdown: [0.15, times(15, markdown).join("")],
  emoji: [
    0.2,
    times(100, () =>
      pick([
        "Done 🚀🎉",
        "all green ✅✅",
        "thanks 🙏😀",
        "❌ failed",
        "slow 🐢😅",
        "👍🏽 👩‍💻",
        "⚠️ wait ⏳",
      ]),
    ).join(" "),
  ],
  "blanks between words": [
    0.1,
    times(
      150,
      () => pick(["x", "return", "// note", "42"]).padStart(random(90)) + "\n".repeat(1 + random(3)),
    ).join(""),
  ],
  "long runs of one letter": [0.2, times(60, () => pick([...LOWER]).repeat(100 + random(200))).join(" ")],
  "random letters": [0.2, spell(LOWER, 4000)],
  "line drawings": [
    0.35,
    times(60, (index) => `│ ${pick(NOUNS)} │ ${"─".repeat(index % 30)}\n├── ${path()}\n`).join(""),
  ],
};

describe("estimateTokens", () => {
  for (const [name, [tolerance, text]] of Object.entries(SAMPLES)) {
    it(`is within ${Math.round(tolerance * 100)} % on ${name} [tokens.estimate]`, (context) => {
      const ratio = estimateTokens(text) / countTokens(text);
      context.diagnostic(`${name}: ${ratio.toFixed(3)} of ${countTokens(text)} tokens`);
      assert.ok(Math.abs(ratio - 1) <= tolerance, `ratio ${ratio.toFixed(3)}`);
    });
  }

  it("returns 0 for an empty text and at least 1 for any other", () => {
    assert.equal(estimateTokens(""), 0);
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
        const tokens = estimateTokens(text);
        assert.ok(Number.isSafeInteger(tokens) && tokens >= 1);
      }),
    );
  });

  it("never exceeds the bytes of the text by much", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        (text) => estimateTokens(text) <= 2 + new TextEncoder().encode(text).length * 1.3,
      ),
    );
  });

  it("returns about the sum for two joined texts", () => {
    const pieces = fc.oneof(fc.string({ unit: "binary" }), fc.lorem({ mode: "sentences" }), fc.json());
    fc.assert(
      fc.property(pieces, pieces, (first, second) => {
        assert.ok(
          Math.abs(estimateTokens(first + second) - estimateTokens(first) - estimateTokens(second)) <= 6,
        );
      }),
    );
  });

  it("takes linear time for any text", () => {
    for (const unit of ["a", "Ab1 ", " ", "\n", "=", "'s", "/\n", "中", "é", "😀", "\0", "word's "]) {
      const start = performance.now();
      assert.ok(estimateTokens(unit.repeat(2_000_000 / unit.length)) > 0);
      // About 30 ms; a quadratic pass would take hours.
      assert.ok(performance.now() - start < 30_000, JSON.stringify(unit));
    }
  });
});
