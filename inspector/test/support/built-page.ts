import { type PageFiles, pageFiles } from "../../../src/server/page.ts";

let files: Promise<PageFiles> | undefined;

/** The page, built and compressed once per test file. */
export function builtPage(): Promise<PageFiles> {
  files ??= pageFiles();
  return files;
}
