import type { Json } from "../src/engine/json.ts";
import type { SessionExport } from "../src/engine/session-document.ts";
import type { Session } from "../src/index.ts";
import type { Memory } from "../src/sessions/memory.ts";
import type { JournalEntry } from "../src/surfaces/operations.ts";
import { seededRandom } from "./measure.ts";

const syllables = [
  "ka",
  "lo",
  "mi",
  "ren",
  "ta",
  "su",
  "vor",
  "bel",
  "qui",
  "dan",
  "er",
  "on",
  "is",
  "pra",
  "den",
  "tol",
];
const characters = "数据库连接超时错误会话压缩记忆笔记计划决策上下文窗口令牌服务器请求响应缓存";

export interface NoteText {
  notes: string[];
  /** From most to least frequent. */
  words: string[];
}

/** Notes of about 400 characters with very different word frequencies, some with Chinese. */
export function makeNotes(count: number, seed = 7): NoteText {
  const random = seededRandom(seed);
  const pick = (from: readonly string[] | string) => from[Math.floor(random() * from.length)] as string;
  const words = Array.from({ length: 40_000 }, (_, rank) => {
    const length = 2 + Math.floor(random() * 3) + (rank > 200 ? 1 : 0);
    return Array.from({ length }, () => pick(syllables)).join("");
  });
  const notes = Array.from({ length: count }, () => {
    let text = "";
    while (text.length < 400) {
      text += `${words[Math.floor(words.length * random() ** 4)]}${random() < 0.1 ? ". " : " "}`;
      if (random() < 0.02)
        text += `${Array.from({ length: 2 + Math.floor(random() * 5) }, () => pick(characters)).join("")} `;
    }
    return text;
  });
  return { notes, words };
}

/** Creates a session of the given sizes with one import. */
export async function fillSession(
  memory: Memory,
  id: string,
  sizes: { notes?: number; messages?: number; entries?: number },
): Promise<Session> {
  const { notes = 0, messages = 0, entries = 0 } = sizes;
  const texts = makeNotes(Math.min(notes, 1_000)).notes;
  const note = (index: number): Json => ({
    content: texts[index % texts.length] as string,
    tags: [`tag-${index % 20}`],
    createdAt: index,
    updatedAt: index,
    updated: index + 1,
  });
  const key = (index: number) => String(index + 1).padStart(12, "0");
  const journal = Array.from(
    { length: entries },
    (_, index): JournalEntry => ({
      revision: index + 1,
      at: index,
      actor: { kind: "agent" },
      surface: "notepad",
      operation: { type: "notepad.append", content: `- step ${index} is done` },
      changes: [{ type: "text", target: "notepad", at: 0, removed: "", inserted: "" }],
      key: null,
      result: null,
    }),
  );
  const tags = Object.fromEntries(
    Array.from({ length: Math.min(20, notes) }, (_, index) => [
      `tag-${index}`,
      { name: `tag-${index}`, notes: Math.ceil((notes - index) / 20) },
    ]),
  );
  const document: SessionExport = {
    format: "holdfast-session",
    version: 1,
    session: { id, agent: "bench", title: null, parent: null, createdAt: 0, updatedAt: 0, revision: entries },
    notepad: "## Plan\n- [x] survey\n- [ ] audit\n",
    records: {
      note: Object.fromEntries(
        Array.from({ length: notes }, (_, index) => [`note_${index + 1}`, note(index)]),
      ),
      tag: tags,
      message: Object.fromEntries(
        Array.from({ length: messages }, (_, index) => [
          key(index),
          { role: "user", content: `message ${index} ${"x".repeat(200)}` },
        ]),
      ),
    },
    journal: journal as unknown as SessionExport["journal"],
  };
  return memory.importSession(document, { id });
}
