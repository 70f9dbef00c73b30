const newline = 10;

/** Two independent 32-bit hashes and the length of the lines, byte for byte or without carriage returns at their ends. */
export function hashOf(lines: readonly string[], { withReturns = false } = {}): string {
  let first = 0x811c9dc5;
  let second = 0x9e3779b9;
  let length = 0;
  for (const line of lines) {
    const end = !withReturns && line.endsWith("\r") ? line.length - 1 : line.length;
    for (let index = 0; index <= end; index++) {
      const code = index < end ? line.charCodeAt(index) : newline;
      first = Math.imul(first ^ code, 0x01000193);
      second = Math.imul(second + code, 0x85ebca6b) ^ (second >>> 13);
    }
    length += end + 1;
  }
  return `${(first >>> 0).toString(36)}-${(second >>> 0).toString(36)}-${length.toString(36)}`;
}

export function isBlank(line: string): boolean {
  return line === "" || line === "\r";
}

/** Without empty lines at the end: some tools show a line after the last line break, others cut empty lines. */
export function withoutEnd(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => !isBlank(line));
  return last === lines.length - 1 ? lines : lines.slice(0, last + 1);
}
