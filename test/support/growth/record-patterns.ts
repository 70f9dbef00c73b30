import { pathToFileURL } from "node:url";

/** The patterns that a module puts together while it is loaded. */
export async function patternsBuiltBy(path: string): Promise<RegExp[]> {
  const built: RegExp[] = [];
  const original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(original, {
    construct(target, given, newTarget) {
      const pattern: RegExp = Reflect.construct(target, given, newTarget);
      built.push(pattern);
      return pattern;
    },
  });
  try {
    // The query makes it a module of its own, which is loaded even if the file was loaded before.
    await import(`${pathToFileURL(path).href}?patterns`);
  } finally {
    globalThis.RegExp = original;
  }
  return built;
}
