export interface TestProcess {
  /** Sorts in the order to start them. */
  name: string;
  files: string[];
}

/** With more, the last process would run alone at the end. */
const maxFiles = 16;

/** Signs that a file changes or measures its process. */
const signs = [
  /\bprocess\.(?:env(?:\.\w+|\[.*\]) (?:\?\?|\|\|)?= |chdir|cpuUsage|memoryUsage|on\(|once\()/,
  /\bdelete process\.env\b|\bObject\.assign\(process\.env\b/,
  /\bperformance\.now\b|\/growth\/measure\.ts"|\bsetFlagsFromString\b/,
  /\bmock\.(?:method\([\w.]+\.prototype,|timers\b)/,
  // Outside a test or a suite, they apply to all tests of the process.
  /^(?:before|after)(?:Each)?\(/m,
];

/** Folders whose tests take longest: they start browsers, databases, servers and hundreds of commands. */
const longest = ["test-", "inspector-", "src-stores-", "src-agent-", "src-cli-"];

/** When to start a process: the place of its folder, or after those. */
function startOf({ name }: TestProcess): number {
  const place = longest.findIndex((folder) => name.startsWith(folder));
  return place === -1 ? longest.length : place;
}

/** Plans which test files share a process: neighbours do, except files that change or measure their process. */
export function planProcesses(files: readonly string[], read: (path: string) => string): TestProcess[] {
  const groups = Map.groupBy(files.toSorted(), (path) => {
    const text = read(path);
    return signs.some((sign) => sign.test(text)) ? path : path.split("/").slice(0, -1).slice(0, 2).join("-");
  });
  const processes = [...groups].flatMap(([name, members]) => {
    const count = Math.ceil(members.length / maxFiles);
    const size = Math.ceil(members.length / count);
    return Array.from({ length: count }, (_, index) => ({
      name: `${name}-${index + 1}`,
      files: members.slice(index * size, (index + 1) * size),
    }));
  });
  // The longest first, so that no core is idle at the end; the runner sorts by name.
  return processes
    .toSorted((one, other) => startOf(one) - startOf(other) || other.files.length - one.files.length)
    .map(({ name, files }, index) => ({
      name: `${String(index + 1).padStart(3, "0")}-${name.replaceAll("/", "-")}`,
      files,
    }));
}
