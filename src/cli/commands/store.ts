import { HoldfastError } from "../../errors.ts";
import { copiesOf, countSessions, writeCopies } from "../../sessions/copy-store.ts";
import { openStore } from "../../stores/open-store.ts";
import { distributeStore, readLayout } from "../../stores/postgres/layout.ts";
import { parseStoreAddress } from "../../stores/store-address.ts";
import { absoluteAddress, rememberCopy } from "../../workspace/copies.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { readArguments, usageError } from "../arguments.ts";
import { startProgress } from "../terminal/progress.ts";
import { counted } from "../terminal/quantities.ts";
import { print } from "../terminal/screen.ts";

/** Moves sessions between stores and files, and looks after a Postgres store. */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments("store", args);
  const [action, from, to] = positionals;
  if (action === "migrate") {
    if (from === undefined || to === undefined) throw usageError("store", "Name two stores");
    return migrate(from, to, values.owner, values.json);
  }
  if (to !== undefined) throw usageError("store", `Unexpected argument ${JSON.stringify(to)}`);
  if (action === "export") return (await import("./export.ts")).exportSessions(from, values);
  if (action === "import") {
    if (from === undefined) throw usageError("store", "FILE is missing");
    return (await import("./import.ts")).importSessions(from, values);
  }
  if ((action !== "check" && action !== "distribute") || from !== undefined)
    throw usageError("store", "The command is export, import, migrate, check or distribute");
  const address = parseStoreAddress(findWorkspace({ flags: values }).store.url);
  if (address.kind !== "postgres") {
    throw new HoldfastError(
      "invalid_input",
      `"store ${action}" is for Postgres, and this store is ${address.kind}. Name one with --store postgres://…`,
    );
  }
  return action === "check" ? check(address.url, values.json) : distribute(address.url, values.json);
}

async function check(url: string, json: boolean): Promise<number> {
  const found = await readLayout(url);
  const { engine, layout, schema, problems } = found;
  print({ json }, found, () => [
    `Engine: ${engine}`,
    `Layout: ${layout} (schema ${schema})`,
    ...(problems.length === 0 ? ["No problems found."] : problems.map((problem) => `Problem: ${problem}`)),
  ]);
  return problems.length === 0 ? 0 : 1;
}

async function distribute(url: string, json: boolean): Promise<number> {
  // Opening creates or upgrades the tables.
  await (await openStore(url)).close();
  const done = await distributeStore(url);
  print({ json }, { done }, () => (done.length > 0 ? done : ["Nothing to do: the store is distributed."]));
  return 0;
}

/** Copies one store into another. The source is not changed. */
async function migrate(from: string, to: string, owner: string, json: boolean): Promise<number> {
  const source = await openStore(from);
  try {
    const target = await openStore(to);
    try {
      const progress = startProgress("Copying sessions", await countSessions(source, owner));
      const counts = await writeCopies(target, copiesOf(source, owner), (done, { row }, outcome) => {
        progress.at(done);
        if (outcome === "different")
          console.error(
            `holdfast: ${row.id}: the target has another session with this id; it was not changed.`,
          );
      });
      progress.end();
      rememberCopy(from, absoluteAddress(to));
      print({ json }, counts, () => [
        `${counted(counts.copied, "session")} copied and compared, ${counts.present} already there, ${counts.different} different.`,
      ]);
      return counts.different === 0 ? 0 : 1;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
