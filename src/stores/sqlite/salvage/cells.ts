import type { SqlitePages } from "./pages.ts";

/** A column's value; undefined if it cannot be read. */
export type Column = string | number | null | undefined;

/** A row with its columns; `keyed` rows come from an index or a WITHOUT ROWID table. */
export interface RawRow {
  keyed: boolean;
  columns: Column[];
}

const leafTable = 0x0d;
const leafIndex = 0x0a;
const innerIndex = 0x02;
const innerTable = 0x05;

/** Whether a page is part of a b-tree. */
export function isTreePage(page: DataView): boolean {
  return [leafTable, leafIndex, innerIndex, innerTable].includes(page.getUint8(0));
}

/** The rows on one page. Calls `visited` for each overflow page. */
export function* rowsOnPage(
  page: DataView,
  pages: SqlitePages,
  visited: (number: number) => void,
): Generator<RawRow> {
  const type = page.getUint8(0);
  if (type !== leafTable && type !== leafIndex && type !== innerIndex) return;
  const pointers = type === innerIndex ? 12 : 8;
  const cells = page.getUint16(3);
  if (pointers + 2 * cells > pages.usable) return;
  for (let cell = 0; cell < cells; cell++) {
    const at = page.getUint16(pointers + 2 * cell) + (type === innerIndex ? 4 : 0);
    const payload = readPayload(page, at, type === leafTable, pages, visited);
    const columns = payload && readColumns(payload.bytes, payload.length);
    if (columns) yield { keyed: type !== leafTable, columns };
  }
}

interface Payload {
  /** The bytes that were found. */
  bytes: Uint8Array;
  length: number;
}

/** None of our rows is longer; a larger length is damage. */
const maxRowBytes = 2 ** 30;

function readPayload(
  page: DataView,
  start: number,
  inTable: boolean,
  pages: SqlitePages,
  visited: (number: number) => void,
): Payload | undefined {
  const length = readVarint(page, start);
  const rowid = length && inTable ? readVarint(page, length.next) : length;
  if (!length || !rowid || length.value > maxRowBytes) return undefined;
  const { usable } = pages;
  // The payload bytes stored on this page; see "Cell Payload Overflow Pages" in SQLite's file format.
  const max = inTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  const min = Math.floor(((usable - 12) * 32) / 255) - 23;
  const tail = min + ((length.value - min) % (usable - 4));
  const local = length.value <= max ? length.value : tail <= max ? tail : min;
  if (rowid.next + local > usable) return undefined;
  const parts = [bytesOf(page, rowid.next, local)];
  let missing = length.value - local;
  let next = missing > 0 ? page.getUint32(rowid.next + local) : 0;
  while (missing > 0) {
    const view = pages.free.has(next) ? undefined : pages.page(next);
    if (!view) break;
    visited(next);
    const taken = Math.min(missing, usable - 4);
    parts.push(bytesOf(view, 4, taken));
    missing -= taken;
    next = view.getUint32(0);
  }
  // An overflow chain that continues past the payload is damaged.
  const isComplete = missing === 0 && next === 0;
  return { bytes: isComplete ? Buffer.concat(parts) : (parts[0] ?? new Uint8Array()), length: length.value };
}

function readColumns(bytes: Uint8Array, length: number): Column[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const header = readVarint(view, 0);
  if (!header || header.value > bytes.length) return undefined;
  const kinds: number[] = [];
  let at = header.next;
  while (at < header.value) {
    const kind = readVarint(view, at);
    if (!kind) return undefined;
    kinds.push(kind.value);
    at = kind.next;
  }
  if (at !== header.value || at + kinds.reduce((sum, kind) => sum + sizeOfKind(kind), 0) !== length)
    return undefined;
  return kinds.map((kind) => {
    const from = at;
    at += sizeOfKind(kind);
    return at <= bytes.length ? readValue(view, from, kind) : undefined;
  });
}

const integerSizes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function sizeOfKind(kind: number): number {
  return kind < 10 ? (integerSizes[kind] ?? 0) : (kind - (kind % 2 === 0 ? 12 : 13)) / 2;
}

function readValue(view: DataView, at: number, kind: number): Column {
  if (kind === 0) return null;
  if (kind === 8 || kind === 9) return kind - 8;
  if (kind < 7) return readInteger(view, at, sizeOfKind(kind));
  return kind >= 13 && kind % 2 === 1 ? readString(bytesOf(view, at, sizeOfKind(kind))) : undefined;
}

function readInteger(view: DataView, at: number, size: number): number {
  let value = view.getInt8(at);
  for (let index = 1; index < size; index++) value = value * 256 + view.getUint8(at + index);
  return value;
}

/** Stored text is UTF-8 without NUL; anything else is damage. */
function readString(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** SQLite varint: seven bits per byte, big-endian; the ninth byte has eight. */
function readVarint(view: DataView, start: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let index = 0; index < 9; index++) {
    if (start + index >= view.byteLength) return undefined;
    const byte = view.getUint8(start + index);
    if (index === 8) return { value: value * 256 + byte, next: start + 9 };
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, next: start + index + 1 };
  }
  return undefined;
}

function bytesOf(view: DataView, from: number, length: number): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset + from, length);
}
