import { type StoredMessage, textsIn, toolCallsOf } from "../context/conversation.ts";
import { findIdentifiers } from "./identifiers.ts";

/** The identifiers in a text, by weight: a path, URL or id identifies its source, a single number hardly does. */
interface Identifiers {
  names: ReadonlySet<string>;
  numbers: ReadonlySet<string>;
}

const noIdentifiers: Identifiers = { names: new Set(), numbers: new Set() };

/** This many shared numbers count as much as one shared name. */
const enoughNumbers = 2;

/**
 * Tests whether a result has been worked into the notes: a later memory write names something in it.
 * `writes` are the tools that write.
 */
export function workedIn(
  messages: readonly StoredMessage[],
  writes: ReadonlySet<string>,
): (result: { message: number; text: string }) => boolean {
  const written = messages.flatMap((stored) => {
    const identifiers = identifiersWritten(stored, writes);
    return identifiers === noIdentifiers ? [] : [{ number: stored.number, identifiers }];
  });
  return (result) => {
    const later = written.filter(({ number }) => number > result.message);
    if (later.length === 0) return false;
    const own = identifiersOf(result, result.text);
    const numbers = new Set<string>();
    for (const { identifiers } of later) {
      if (!identifiers.names.isDisjointFrom(own.names)) return true;
      for (const number of identifiers.numbers) if (own.numbers.has(number)) numbers.add(number);
    }
    return numbers.size >= enoughNumbers;
  };
}

/** Messages never change, so search each only once. */
const known = new WeakMap<object, Identifiers>();

function identifiersWritten(stored: StoredMessage, writes: ReadonlySet<string>): Identifiers {
  if (stored.message.role !== "assistant") return noIdentifiers;
  const calls = toolCallsOf(stored).filter(({ tool }) => writes.has(tool));
  if (calls.length === 0) return noIdentifiers;
  return identifiersOf(stored, calls.flatMap(({ input }) => textsIn(input)).join("\n"));
}

function identifiersOf(holder: object, text: string): Identifiers {
  const identifiers = known.get(holder) ?? read(text);
  known.set(holder, identifiers);
  return identifiers;
}

function read(text: string): Identifiers {
  const items = findIdentifiers(text);
  const texts = (matches: (kind: string) => boolean) =>
    new Set(items.filter(({ kind }) => matches(kind)).map((item) => item.text.replace(/:\d+(?:-\d+)?$/, "")));
  return {
    names: texts((kind) => kind !== "number"),
    numbers: texts((kind) => kind === "number"),
  };
}
