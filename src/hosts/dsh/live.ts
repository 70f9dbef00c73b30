import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { LiveClient, LiveTalk } from "../host-setup.ts";

/** The headless profile begins a new conversation with each start, so doctor runs it with a runner that continues one. */
export const dshClient: LiveClient = {
  prepare: ({ folder }) => writeRunner(folder),
  env: ({ url }) => ({ DEEPSEEK_API_KEY: "doctor", DEEPSEEK_BASE_URL: url, DSH_TELEMETRY_DISABLED: "1" }),
  first: turn,
  again: turn,
  session: sessionIn,
};

function turn({ folder, prompt }: LiveTalk): string[] {
  return ["--profile", "headless", "--patch", join(folder, "runner.yml"), prompt];
}

function sessionIn(folder: string): string {
  return `session-${basename(folder)}`;
}

/** Writes a plug-in that runs one turn of one conversation, and the patch that puts it in the place of the host's own. */
export function writeRunner(folder: string, session = sessionIn(folder)): void {
  const file = join(folder, "runner.mjs");
  writeFileSync(file, runner);
  writeFileSync(
    join(folder, "runner.yml"),
    `- id: headless-runner
  disabled: true
- insert:
    - id: holdfast-runner
      name: ${JSON.stringify(pathToFileURL(file).href)}
      inject: [headlessStartup]
      config: { task: !!js ctx.headlessStartup.task, session: ${JSON.stringify(session)} }
`,
  );
}

/** The task "/compact" compacts the conversation, as the command of that name does. */
const runner = `export const name = "holdfast-runner";
export const inject = ["agents", "agentDefaultModel", "sessions", "sessionPersistence", "compaction"];

export function apply(ctx, { task, session }) {
  const exit = ctx.get("appExit");
  run(ctx, task, session).then(
    () => exit(0),
    (error) => {
      console.error(error);
      exit(1);
    },
  );
}

async function run(ctx, task, id) {
  await ctx.get("loader")?.await();
  const { provider, model } = ctx.agentDefaultModel.currentSelection();
  const agentOptions = { provider, model };
  const isKnown = (await ctx.sessionPersistence.list()).some((header) => header.id === id);
  const { agent } = isKnown
    ? await ctx.agents.resume({ resumeSessionId: id, agentOptions })
    : await ctx.agents.create({ sessionId: id, meta: { cwd: process.cwd() }, agentOptions });
  await agent.whenIdle();
  if (task === "/compact") {
    if ((await ctx.compaction.compactNow(agent, new AbortController().signal)) === null)
      throw new Error("There was nothing to compact.");
  } else {
    const content = [Object.freeze({ type: "text", text: task })];
    const source = Object.freeze({ kind: "user" });
    agent.followup(Object.freeze({ id: crypto.randomUUID(), role: "user", content: Object.freeze(content), source }));
    await agent.whenIdle();
  }
  await ctx.sessions.flush(agent.session);
  const last = agent.session.events.findLast(({ type }) => type === "turn/end");
  if (last?.data.reason.kind === "error") throw new Error(last.data.reason.error.message);
}
`;
