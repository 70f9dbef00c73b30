import { textWidth } from "./text-width.ts";

/** Writes text that arrives in pieces, and breaks its lines between words. A word is written when it is whole. */
export function wordWrapper(
  put: (text: string) => void,
  width: () => number,
): { write(text: string): void; end(): void } {
  let column = 0;
  let gap = "";
  let word = "";
  const putWord = () => {
    if (word === "") return;
    const wide = textWidth(word);
    if (column > 0 && column + gap.length + wide > width()) {
      put("\n");
      [column, gap] = [0, ""];
    }
    put(gap + word);
    column += gap.length + wide;
    [gap, word] = ["", ""];
  };
  return {
    write(text) {
      for (const part of text.split(/(\n|[ \t]+)/)) {
        if (part === "") continue;
        if (part !== "\n" && part.trim() !== "") {
          word += part;
          continue;
        }
        putWord();
        if (part === "\n") {
          put("\n");
          [column, gap] = [0, ""];
        } else gap += part;
      }
    },
    end() {
      putWord();
      [column, gap] = [0, ""];
    },
  };
}
