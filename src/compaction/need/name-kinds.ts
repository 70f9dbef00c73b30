/** What a name is, as far as its spelling tells. A pair is two words with a slash between them. */
export const nameKinds = [
  "path",
  "pair",
  "file",
  "url",
  "symbol",
  "dotted",
  "flag",
  "hash",
  "version",
  "number",
  "code",
  "kebab",
  "mixed",
] as const;

export type NameKind = (typeof nameKinds)[number];

export function isKind(kind: string): kind is NameKind {
  return nameKinds.some((known) => known === kind);
}

/** Shorter names say nothing alone. */
export const minLength = 4;

// The classes of characters that a name has, as bits.
export const LOWER = 1;
export const UPPER = 2;
export const DIGIT = 4;
export const UNDERSCORE = 8;
export const SLASH = 16;
export const DOT = 32;
export const HYPHEN = 64;
/** `@`, `~`, `+`, `#` and `%`: part of a name, and no evidence of one. */
export const MARK = 128;
/** A letter outside ASCII. */
export const LETTER = 256;
export const COLON = 512;
export const BACKSLASH = 1_024;
/** A capital after a lower-case letter or a digit, as in `getName`. */
export const HUMP = 2_048;

/** What a name with characters of these classes is; undefined for an ordinary word. */
export function kindOf(name: string, seen: number): NameKind | undefined {
  if (name.startsWith("--")) return /^--[A-Za-z][\w.-]+$/.test(name) ? "flag" : undefined;
  if (name.startsWith("-")) return undefined;
  if (name.startsWith("$")) {
    if (price.test(name)) return undefined;
    return name.includes("/") ? "path" : wordKind(name.slice(1), seen);
  }
  if ((seen & COLON) !== 0 && name.includes("://")) return "url";
  if ((seen & BACKSLASH) !== 0) return isCutAtSpace(name) ? undefined : "path";
  if ((seen & SLASH) !== 0 && name.includes("/")) return pathKind(name);
  if ((seen & COLON) !== 0 && name.includes(":")) return name.includes("::") ? "symbol" : "url";
  if ((seen & DOT) !== 0 && name.includes(".")) return dottedKind(name);
  return wordKind(name, seen);
}

/** $5/mo, which is no path as $1/src is. */
const price = /^\$\d[\d.,]*[km]?\/(?:mo|month|yr|year|wk|week|day|hr|hour|user|seat|[gt]b|unit)$/i;

/** Known endings of files; another ending after a dot may as well be a property. A set needs no time to compile. */
const fileEndings = new Set(
  "js jsx ts tsx cjs cjsx cts ctsx mjs mjsx mts mtsx py pyc pyi pyw ipynb go rs java kt kts rb php c cc cpp cxx h hh hpp cs swift scala ex exs erl hs lua pl r jl dart zig sql sh bash zsh fish ps1 bat md mdx rst txt json json5 jsonl jsonc yml yaml toml ini cfg conf config env lock csv tsv xml htm html css scss less svg png jpg jpeg gif webp ico pdf doc docx xls xlsx ppt pptx zip gz tgz tar bz2 xz log out bak tmp db sqlite sqlite3 proto graphql vue svelte astro tf nix mk cmake gradle properties service timer socket desktop patch diff pem key crt pub asc wasm so exe dll plist map snap test spec".split(
    " ",
  ),
);

function endsLikeFile(name: string): boolean {
  const dot = name.lastIndexOf(".");
  return dot !== -1 && fileEndings.has(name.slice(dot + 1).toLowerCase());
}

const rootFolders = new Set(
  "app apps bin boot build builds code data dev etc home lib lib64 media mnt nix opt private proc repo root run sbin snap src srv sys tmp usr Users var Volumes work workdir workspace workspaces".split(
    " ",
  ),
);

/** The beginning of a folder whose name goes on after a space: `C:\Program Files`, `~/Library/Application Support`. */
function isCutAtSpace(name: string): boolean {
  if (name.endsWith("Program")) return /^(?:[A-Za-z]:?[\\/]+|\/[a-z]\/)Program$/.test(name);
  return name.endsWith("/Library/Application");
}

/** A line of a key or a certificate. */
const keyLine = /^[A-Za-z\d+]{60,}$/;

/** A part of a key in base64, which may contain slashes. */
function isRandom(part: string): boolean {
  return part.length >= 24 && /[a-z]\d[A-Z]|\d[a-z][A-Z]|[A-Z]\d[a-z]/.test(part) && !/[._-]/.test(part);
}

/** A path, or two words with a slash between them, which may be a path, a branch, or "and/or". */
function pathKind(name: string): NameKind | undefined {
  const parts = name.split("/");
  const [first = "", second = ""] = parts;
  if (name.includes("//") || parts.some(isRandom) || isCutAtSpace(name)) return undefined;
  const isFile = endsLikeFile(name);
  // Patterns and replacements, as in s/old/new/.
  if (parts.length <= 4 && (first === "s" || first === "m" || first === "y") && !isFile) return undefined;
  // A date, or a score such as 45/100.
  if (!isFile && /^[\d./]*$/.test(name)) return name.length > minLength ? "number" : undefined;
  // A Windows flag, a slash command or a route, unless it is one of the usual folders.
  if (first === "" && parts.length === 2 && !isFile && !rootFolders.has(second)) return "pair";
  if (first === "" || first === "~" || first === ".." || first.startsWith("@")) return "path";
  if (isFile) return parts.length > 2 || first.length > 1 ? "path" : undefined;
  // Three words and more may be folders, or alternatives as in start/stop/restart.
  if (parts.length > 2) {
    if (parts.every((part) => /^[A-Z][A-Za-z-]*$/.test(part))) return "symbol";
    return parts.every((part) => /^[A-Za-z]*$/.test(part)) ? "pair" : "path";
  }
  return first.length > 1 && second.length > 1 ? "pair" : undefined;
}

function dottedKind(name: string): NameKind | undefined {
  if (/^v?\d+(?:\.\d+)+(?:[-+][\w.-]+)?$/.test(name)) {
    const dots = name.split(".").length - 1;
    return dots >= 2 || name.startsWith("v") ? "version" : undefined;
  }
  if (/^\d/.test(name) && /^[\d.]+[a-z%]{0,3}$/i.test(name)) return undefined;
  // An ending alone, as in "all .exe files"; a framework.
  if (/^\.(?!env$|conf$|lock$)[a-z]{1,4}$/.test(name) && endsLikeFile(name)) return undefined;
  if (/^(?:Node|Vue|Next|Nuxt|Express|Three|React)\.js$/.test(name)) return undefined;
  if (property.test(name)) return "dotted";
  if (endsLikeFile(name)) return "file";
  if (/^\.(?:\d+|com|org|net|edu|gov|io|dev|app)$/.test(name)) return undefined;
  if (name.startsWith(".")) return dotFile.test(name) ? "file" : "dotted";
  if (name.includes("..")) return undefined;
  return name.includes("@") ? "url" : "dotted";
}

/** Properties that end like files. */
const property = /^(?:console\.log|process\.env|import\.meta\.env|[A-Za-z_$][\w$]*\.(?:test|spec|map))$/;

/** Files and folders that begin with a dot; `.vertical` is a value in source code. */
const dotFile =
  /^\.(?:env|git|vscode|idea|ssh|aws|kube|docker|npm|nvm|yarn|node|editorconfig|prettier|eslint|babel|bash|zsh|profile|config|cache|local|venv|virtualenv|tox|nox|coverage|pytest|mypy|ruff|python|DS_Store|husky|changeset|turbo|next|nuxt|output|vercel|netlify|terraform|tmux|vim|htaccess|holdfast|gradle|cargo|bundle|ruby|tool-versions|secrets|credentials)/i;

/** 864K, 11Gi, 718KB, 320MHz, 58AM. */
const size = /^\d+(?:[KMGTP]i?B?|[kMG]?Hz|AM|PM)$/;

/** Errors of the system, signals, and Node's own. */
const systemErrors = new Set(
  "EACCES EADDRINUSE EADDRNOTAVAIL EAGAIN EBADF EBUSY ECHILD ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK EEXIST EFAULT EFBIG EHOSTUNREACH EINTR EINVAL EIO EISDIR ELOOP EMFILE EMSGSIZE ENAMETOOLONG ENETUNREACH ENFILE ENOENT ENOEXEC ENOLOCK ENOMEM ENOSPC ENOSYS ENOTCONN ENOTDIR ENOTEMPTY ENOTFOUND ENOTSUP EPERM EPIPE EPROTO ERANGE ERESOLVE EROFS ESRCH ETIMEDOUT ETIMEOUT EXDEV EINTEGRITY ETARGET EUSAGE EOTP".split(
    " ",
  ),
);

function isErrorCode(name: string): boolean {
  return systemErrors.has(name) || /^(?:ERR|SIG)[A-Z]+$/.test(name);
}

/** A provider's id of a call or a message: nobody uses it again. */
const callId = /^(?:toolu|call|msg|req|resp|chatcmpl)_(?=[A-Za-z]*\d)[A-Za-z0-9]{16,}$/;

function wordKind(name: string, seen: number): NameKind | undefined {
  const hasLetters = (seen & (LOWER | UPPER | LETTER)) !== 0;
  if (name.startsWith("#")) return /^#\d+$/.test(name) ? "code" : undefined;
  if (!hasLetters) return /^\d{4,}$/.test(name) ? "number" : dateKind(name);
  if ((seen & DIGIT) !== 0 && size.test(name)) return undefined;
  if ((seen & DIGIT) !== 0 && /^(?:0x)?[0-9a-f]{7,64}$/i.test(name)) return "hash";
  if ((seen & DIGIT) !== 0 && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(name)) return "hash";
  if (/^[A-Z](?:[A-Z0-9]*-\d+|[A-Z0-9]*\d{2})$/.test(name)) return "code";
  if ((seen & UNDERSCORE) !== 0 && callId.test(name)) return undefined;
  if ((seen & UNDERSCORE) !== 0) return /[A-Za-z\d]_|_[A-Za-z\d]/.test(name) ? "symbol" : undefined;
  if ((seen & HYPHEN) !== 0 && name.includes("-")) return /^[\w@+-]+$/.test(name) ? "kebab" : undefined;
  if ((seen & HUMP) !== 0) return (seen & DIGIT) !== 0 && keyLine.test(name) ? undefined : "symbol";
  if ((seen & MARK) !== 0) return undefined;
  if (seen === UPPER) return isErrorCode(name) ? "code" : undefined;
  return (seen & DIGIT) !== 0 && (seen & (LOWER | UPPER)) !== 0 ? "mixed" : undefined;
}

/** Dates and other groups of digits. */
function dateKind(name: string): NameKind | undefined {
  return /^\d{4}-\d{2}-\d{2}$|^[\d-]{8,}$/.test(name) ? "number" : undefined;
}
