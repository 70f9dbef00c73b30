import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { temporaryDirectory } from "../../../test/support/temporary.ts";
import { packageRoot } from "../../workspace/package.ts";
import type { ScriptedModel } from "../doctor/scripted-model.ts";
import { hostNamed } from "../hosts.ts";
import { usesBuild } from "../install/launcher.ts";

/** The built program, which is what users have. It has to be built from the sources as they are. */
export function builtCommand(): string {
  if (!usesBuild())
    throw new Error("The clients run the built package, and it is not current: npm run build");
  return join(packageRoot, "dist/cli.js");
}

/** The package as npm installs it, in a folder that can go. */
export function copyPackage(): string {
  const root = join(temporaryDirectory(), "node_modules/holdfast");
  cpSync(dirname(builtCommand()), join(root, "dist"), { recursive: true });
  for (const name of ["package.json", "plugins"])
    cpSync(join(packageRoot, name), join(root, name), { recursive: true });
  symlinkSync(join(packageRoot, "node_modules"), join(root, "node_modules"));
  return root;
}

/** Installs a client from npm, once for each version, in a folder that outlives the test. `more`: further arguments. */
export function installClient(spec: string, more: readonly string[] = []): string {
  const folder = join(tmpdir(), "holdfast-hosts", spec.replaceAll(/[^\w.@-]/g, "+"));
  const done = join(folder, "installed");
  if (existsSync(done)) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  const args = ["install", "--no-audit", "--no-fund", "--no-save", "--prefix", folder, spec, ...more];
  // npm adds its own path when it runs the tests; otherwise find npm like a shell does.
  const npm = process.env.npm_execpath;
  const [program, ...rest] = npm ? [process.execPath, npm, ...args] : ["npm", ...args];
  const { status, stderr } = spawnSync(program, rest, {
    cwd: folder,
    encoding: "utf8",
    env: withThisNode(process.env),
  });
  if (status !== 0) throw new Error(`npm could not install ${spec}:\n${stderr}`);
  writeFileSync(done, "");
  return folder;
}

type Environment = Record<string, string | undefined>;

function withThisNode(env: Environment): Environment {
  return { ...env, PATH: `${dirname(process.execPath)}${delimiter}${env.PATH ?? ""}` };
}

export interface ClientPlace {
  root: string;
  home: string;
  /** Its own home folder, and no network access beyond this machine. */
  env: Environment;
}

/** A project with Holdfast installed for one host by the command's `init`, and a private home folder. */
export function makePlace(host: string, command = builtCommand()): ClientPlace {
  const place = makeBarePlace();
  const { root, env } = place;
  const { status, stderr } = spawnSync(process.execPath, [command, "init", host, "--project"], {
    cwd: root,
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`holdfast init ${host} failed: ${stderr}`);
  return place;
}

/** A project without Holdfast, and a private home folder. */
export function makeBarePlace(): ClientPlace {
  const root = temporaryDirectory();
  const home = temporaryDirectory();
  const nowhere = "http://127.0.0.1:9";
  // Clients pass HOME to the programs that they start, but not every other variable.
  process.env.XDG_STATE_HOME = join(home, ".local/state");
  const env = withThisNode({
    PATH: process.env.PATH,
    HOME: home,
    TERM: "dumb",
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: "127.0.0.1,localhost",
    // opencode fetches its plugin types from the registry; without retries it fails fast.
    npm_config_offline: "true",
    npm_config_fetch_retries: "0",
    // A loaded machine makes a hook slower than an agent should wait for.
    HOLDFAST_HOOK_DEADLINE: "9000",
  });
  mkdirSync(join(root, ".git"));
  return { root, home, env };
}

export function writeJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(value));
}

/** Runs a program to completion and returns its output. */
export function run(program: string, args: string[], { root, env }: ClientPlace): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0
        ? resolve(output)
        : reject(new Error(`${program} ${args.join(" ")} ended with ${code}:\n${output}`)),
    );
  });
}

/** Runs one turn of a client, with a prompt, and returns its output. */
type Turn = (place: ClientPlace, prompt: string) => Promise<string>;

/** Turns with the arguments that doctor runs the client with. `command`: the program, and the words before them. */
export function doctorTurns(host: string, command: () => string[]): Record<"begin" | "resume", Turn> {
  const turn = (which: "first" | "again") => async (place: ClientPlace, prompt: string) => {
    const { live } = await hostNamed(host).setup();
    const [program = "", ...words] = command();
    return run(program, [...words, ...live[which]({ url: "", folder: "", prompt })], place);
  };
  return { begin: turn("first"), resume: turn("again") };
}

/** Has the client use a model as doctor does. */
export async function useDoctorModel(
  host: string,
  place: ClientPlace,
  { url }: ScriptedModel,
): Promise<void> {
  const { live } = await hostNamed(host).setup();
  Object.assign(place.env, live.env({ url, folder: "", prompt: "" }));
}

export function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
