import { parse } from "yaml";
import { isObject } from "../../engine/json.ts";
import { HoldfastError } from "../../errors.ts";
import { ownMarker } from "../install/own-file.ts";
import type { FileLocation, Piece } from "../install/piece.ts";

const start = `# ${ownMarker}. "holdfast uninstall" removes it.`;
const end = "# End of what holdfast init wrote.";
const block = new RegExp(`${literally(start)}\\r?\\n[\\s\\S]*?${literally(end)}\\r?\\n?`);

/** Our entries in a list of patches, appended as text; the rest of the file is not rewritten. */
export function patchPiece(location: FileLocation, module: string, url: string): Piece {
  const { path: file } = location;
  const lines = [
    start,
    "- id: compaction-basic",
    "  disabled: true",
    "- insert:",
    "    - id: holdfast",
    `      name: ${JSON.stringify(url)}`,
    end,
    "",
  ];
  const nameIn = (text: string) => {
    const inserted = listIn(text, file)
      .flatMap((entry) => (isObject(entry) && Array.isArray(entry.insert) ? entry.insert : []))
      .find((entry) => isObject(entry) && entry.id === "holdfast");
    return isObject(inserted) ? inserted.name : undefined;
  };
  return {
    ...location,
    what: "plugin",
    module,
    add(text) {
      if (nameIn(text) === url) return text;
      const eol = text.includes("\r\n") ? "\r\n" : "\n";
      const ours = lines.join(eol);
      const gap = text === "" || text.endsWith("\n") ? "" : eol;
      const result = block.test(text) ? text.replace(block, () => ours) : `${text}${gap}${ours}`;
      if (isRight(result)) return result;
      throw byHand(file, url);
    },
    remove: (text) => text.replace(block, ""),
    isIn: (text) => block.test(text) || nameIn(text) !== undefined,
    gaps(text) {
      const name = nameIn(text);
      if (name === undefined) return [{ what: "the plugin", kind: "missing" }];
      return name === url ? [] : [{ what: "the plugin's path", kind: "differs" }];
    },
  };

  function isRight(text: string): boolean {
    try {
      return nameIn(text) === url;
    } catch {
      return false;
    }
  }
}

/** The entries of the file. Expressions in it (`!!js`) are read as plain text. */
function listIn(text: string, file: string): unknown[] {
  let content: unknown;
  try {
    content = parse(text, { logLevel: "error" });
  } catch (error) {
    const [reason = "it is not YAML"] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw new HoldfastError(
      "invalid_input",
      `${file} cannot be read: ${reason} Nothing was changed. Repair it and run the command again.`,
      { data: { file } },
    );
  }
  return Array.isArray(content) ? content : [];
}

function byHand(file: string, url: string): HoldfastError {
  return new HoldfastError(
    "invalid_input",
    `${file} is not a list of "- " entries, so Holdfast cannot extend it. Nothing was changed. Disable compaction-basic there and insert { id: holdfast, name: ${JSON.stringify(url)} } manually.`,
    { data: { file } },
  );
}

function literally(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
