import { type StoredMessage, textsIn, toolCallsOf } from "../context/conversation.ts";
import { findIdentifiers } from "./identifiers.ts";

/** The identifiers of a text, by weight: a path, URL or id says where it comes from, a number hardly does. */
interface Marks {
  names: ReadonlySet<string>;
  numbers: ReadonlySet<string>;
}

const noMarks: Marks = { names: new Set(), numbers: new Set() };

/** So many numbers of a result in the notes say as much as one name. */
const enoughNumbers = 2;

/**
 * Tells whether a result has been worked into notes: something that names what it holds was written to memory after it.
 * `writes` are the tools that write.
 */
export function workedIn(
  messages: readonly StoredMessage[],
  writes: ReadonlySet<string>,
): (result: { message: number; text: string }) => boolean {
  const written = messages.flatMap((stored) => {
    const marks = marksWritten(stored, writes);
    return marks === noMarks ? [] : [{ number: stored.number, marks }];
  });
  return (result) => {
    const later = written.filter(({ number }) => number > result.message);
    if (later.length === 0) return false;
    const held = marksOf(result, result.text);
    const numbers = new Set<string>();
    for (const { marks } of later) {
      if (!marks.names.isDisjointFrom(held.names)) return true;
      for (const number of marks.numbers) if (held.numbers.has(number)) numbers.add(number);
    }
    return numbers.size >= enoughNumbers;
  };
}

/** Messages never change, so each is looked through once. */
const known = new WeakMap<object, Marks>();

function marksWritten(stored: StoredMessage, writes: ReadonlySet<string>): Marks {
  if (stored.message.role !== "assistant") return noMarks;
  const calls = toolCallsOf(stored).filter(({ tool }) => writes.has(tool));
  if (calls.length === 0) return noMarks;
  return marksOf(stored, calls.flatMap(({ input }) => textsIn(input)).join("\n"));
}

function marksOf(holder: object, text: string): Marks {
  const marks = known.get(holder) ?? read(text);
  known.set(holder, marks);
  return marks;
}

function read(text: string): Marks {
  const items = findIdentifiers(text);
  const texts = (wanted: (kind: string) => boolean) =>
    new Set(items.filter(({ kind }) => wanted(kind)).map((item) => item.text.replace(/:\d+(?:-\d+)?$/, "")));
  return {
    names: texts((kind) => kind !== "number"),
    numbers: texts((kind) => kind === "number"),
  };
}
