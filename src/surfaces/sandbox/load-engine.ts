import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

/** The compiled QuickJS module. TypeScript declares WebAssembly only together with the DOM. */
export interface Engine {
  readonly [compiled]: true;
}

export interface EngineMemory {
  readonly buffer: ArrayBuffer;
}

declare const compiled: unique symbol;
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<Engine> };

const engineFile = createRequire(import.meta.url).resolve("quickjs-wasi/quickjs.wasm");
const pageBytes = 65_536;
const memorySection = 5;

/** Loads QuickJS with a memory that cannot grow past the limit, independent of the engine's own limit. */
export async function loadEngine(memoryBytes: number): Promise<Engine> {
  return WebAssembly.compile(capMemory(await readFile(engineFile), Math.floor(memoryBytes / pageBytes)));
}

/** Sets a maximum on the module's memory; the published module has none. */
function capMemory(wasm: Uint8Array, maxPages: number): Uint8Array<ArrayBuffer> {
  for (let at = 8; at < wasm.length; ) {
    const size = readNumber(wasm, at + 1);
    const end = size.next + size.value;
    if (wasm[at] === memorySection) {
      // Section layout: number of memories, then for each: has-maximum flag, minimum, maximum.
      const minimum = readNumber(wasm, size.next + 2);
      const content = [1, 1, ...wasm.subarray(size.next + 2, minimum.next), ...writeNumber(maxPages)];
      const capped = [memorySection, ...writeNumber(content.length), ...content];
      return Uint8Array.from(Buffer.concat([wasm.subarray(0, at), Buffer.from(capped), wasm.subarray(end)]));
    }
    at = end;
  }
  throw new Error("quickjs.wasm does not define a memory; this version of quickjs-wasi is not supported.");
}

function readNumber(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return { value, next: at };
  }
}

function writeNumber(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...writeNumber(Math.floor(value / 128))];
}
