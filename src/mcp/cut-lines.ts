import { MessageIdFinder } from "./find-message-id.ts";

export interface LineListener {
  line(text: string): void;
  /** A line over the limit: its text was dropped; `id` is undefined if none was found. */
  tooLong(id: string | number | undefined): void;
}

/** Splits a byte stream into lines, buffering at most one line of the allowed length. */
export class LineCutter {
  readonly #maxBytes: number;
  readonly #listener: LineListener;
  #pieces: Uint8Array[] = [];
  #size = 0;
  #finder: MessageIdFinder | undefined;

  constructor(maxBytes: number, listener: LineListener) {
    this.#maxBytes = maxBytes;
    this.#listener = listener;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.#take(chunk.subarray(start, end));
      this.end();
      start = end + 1;
    }
    this.#take(chunk.subarray(start));
  }

  /** Ends the current line, also at the end of the input without a newline. */
  end(): void {
    const [pieces, finder] = [this.#pieces, this.#finder];
    this.#pieces = [];
    this.#size = 0;
    this.#finder = undefined;
    if (finder) this.#listener.tooLong(finder.id);
    else if (pieces.length > 0) this.#listener.line(Buffer.concat(pieces).toString("utf8"));
  }

  #take(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#size += piece.length;
    if (this.#finder) {
      this.#finder.read(piece);
      return;
    }
    this.#pieces.push(piece);
    if (this.#size <= this.#maxBytes) return;
    this.#finder = new MessageIdFinder();
    for (const each of this.#pieces) this.#finder.read(each);
    this.#pieces = [];
  }
}
