const maxIdBytes = 256;

const [QUOTE, BACKSLASH, COMMA, COLON, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = Buffer.from('"\\,:{}[]');

/** Scans a message chunk by chunk and keeps only the `id` of the outermost object. */
export class MessageIdFinder {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inValue = false;
  #key = "";
  #token: number[] = [];
  #id: string | number | undefined;

  get id(): string | number | undefined {
    return this.#id;
  }

  read(chunk: Uint8Array): void {
    for (const byte of chunk) {
      if (this.#inString) this.#readString(byte);
      else if (byte === QUOTE) {
        this.#inString = true;
        this.#keep(byte);
      } else if (byte === OPEN || byte === OPEN_LIST) this.#depth++;
      else if (byte === CLOSE || byte === CLOSE_LIST) {
        if (this.#depth === 1) this.#endField();
        this.#depth--;
      } else if (this.#depth !== 1) continue;
      else if (byte === COLON) {
        this.#key = this.#takeToken();
        this.#inValue = true;
      } else if (byte === COMMA) this.#endField();
      else this.#keep(byte);
    }
  }

  #readString(byte: number): void {
    this.#keep(byte);
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
  }

  #keep(byte: number): void {
    if (this.#depth === 1 && this.#token.length <= maxIdBytes) this.#token.push(byte);
  }

  #endField(): void {
    const value = this.#takeToken();
    if (this.#inValue && this.#key === '"id"') this.#id = readId(value);
    this.#inValue = false;
  }

  #takeToken(): string {
    const text = Buffer.from(this.#token).toString("utf8").trim();
    this.#token = [];
    return text;
  }
}

function readId(text: string): string | number | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" || typeof value === "number" ? value : undefined;
  } catch {
    return undefined;
  }
}
