import { HoldfastError } from "../../errors.ts";
import { copiesOf, countSessions, writeCopies } from "../../sessions/copy-store.ts";
import { openStore } from "../../stores/open-store.ts";
import { distributeStore, readLayout } from "../../stores/postgres/layout.ts";
import { parseStoreAddress } from "../../stores/store-address.ts";
import { absoluteAddress, rememberCopy } from "../../workspace/copies.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { readArguments } from "../arguments.ts";
import { startProgress } from "../terminal/progress.ts";
import { counted } from "../terminal/quantities.ts";
import { printJson } from "../terminal/screen.ts";

const usage = "store check | store distribute | store migrate FROM TO [--owner OWNER]";

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, { owner: { type: "string", default: "local" } });
  const [action, ...rest] = positionals;
  if (action === "migrate") return migrate(rest, values.owner, values.json);
  if ((action !== "check" && action !== "distribute") || rest.length > 0)
    throw new HoldfastError("invalid_input", `Usage: holdfast ${usage}`);
  const address = parseStoreAddress(findWorkspace({ flags: values }).store.url);
  if (address.kind !== "postgres") {
    throw new HoldfastError(
      "invalid_input",
      `"store ${action}" is for Postgres, and this store is ${address.kind}. Name one with --store postgres://…`,
    );
  }
  return action === "check" ? check(address.url, values.json) : distribute(address.url, values.json);
}

async function check(url: string, asJson: boolean): Promise<number> {
  const found = await readLayout(url);
  if (asJson) printJson(found);
  else {
    console.log(`Engine: ${found.engine}`);
    console.log(`Layout: ${found.layout} (schema ${found.schema})`);
    for (const problem of found.problems) console.log(`Problem: ${problem}`);
    if (found.problems.length === 0) console.log("No problems found.");
  }
  return found.problems.length === 0 ? 0 : 1;
}

async function distribute(url: string, asJson: boolean): Promise<number> {
  // Opening creates or upgrades the tables.
  await (await openStore(url)).close();
  const done = await distributeStore(url);
  if (asJson) printJson({ done });
  else
    for (const line of done.length > 0 ? done : ["Nothing to do: the store is distributed."])
      console.log(line);
  return 0;
}

/** Copies one store into another. The source is not changed. */
async function migrate(places: string[], owner: string, asJson: boolean): Promise<number> {
  const [from, to] = places;
  if (from === undefined || to === undefined || places.length > 2)
    throw new HoldfastError("invalid_input", `Name two stores. Usage: holdfast ${usage}`);
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
      if (asJson) printJson(counts);
      else {
        console.log(
          `${counted(counts.copied, "session")} copied and compared, ${counts.present} already there, ${counts.different} different.`,
        );
      }
      return counts.different === 0 ? 0 : 1;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
