import { dotless } from "../../surfaces/toolbox.ts";
import { pluginTools } from "../plugin/plugin-tools.ts";
import { failureReporter } from "../report-failure.ts";
import type { DshAgent, DshContext, DshPrompt, DshStep } from "./api.ts";
import { DshMemory, folderOf } from "./dsh-memory.ts";
import { loadBasicEngine, memoryEngine } from "./engine.ts";
import { ownMessage } from "./messages.ts";

const report = failureReporter("dsh");
/** A section's text is a template, and a value is not: memory may contain braces. */
const variable = "holdfast_memory";

/** The DeepSeek Harness plug-in: tools, memory in the system prompt, and the compaction engine. */
export default {
  name: "holdfast",
  inject: ["tools", "agents", "llm"],
  async apply(ctx: DshContext, config: object = {}): Promise<void> {
    const memory = addMemory(ctx);
    ctx.plugin(memoryEngine(await loadBasicEngine(ctx), memory, report), config);
  },
  addMemory,
};

/** All but the engine, which needs the host's packages. */
function addMemory(ctx: DshContext): DshMemory {
  const memory = new DshMemory(report);
  ctx.effect(() => () => memory.close());
  addTools(ctx, memory);
  ctx.on(
    "system-prompt/assemble",
    async (_prompt: DshPrompt, { agent }: { agent?: DshAgent }, next: () => Promise<DshPrompt>) => {
      const prompt = await next();
      if (!agent) return prompt;
      const head = await tryFor(agent, "system-prompt", () => memory.head(agent));
      if (head === undefined) return prompt;
      const section = { name: "holdfast", text: `{{${variable}}}` };
      const variables = { ...prompt.variables, [variable]: head };
      return { ...prompt, sections: [...prompt.sections, section], variables };
    },
  );
  ctx.on(
    "agent/pre-step",
    async ({ agent, step }: { agent: DshAgent; step: number }, next: () => Promise<DshStep>) => {
      const decision = await next();
      if (decision.kind !== "enter") return decision;
      const news = await tryFor(agent, "step", () => memory.news(agent, step));
      return news ? { ...decision, messages: [...(decision.messages ?? []), ownMessage(news)] } : decision;
    },
  );
  ctx.on("agent/disposed", ({ agent }: { agent: DshAgent }) =>
    tryFor(agent, "session-end", () => memory.end(agent)),
  );
  return memory;
}

/** Gives each agent the tools of its project. */
function addTools(ctx: DshContext, memory: DshMemory): void {
  ctx.on("agent/created", ({ agent }: { agent: DshAgent }) =>
    tryFor(agent, "tools", async () => {
      for (const { name, description, inputSchema, readOnly } of pluginTools(folderOf(agent))) {
        agent.ctx.get("tools")?.register({
          name: dotless(name),
          description,
          parameters: inputSchema,
          output: { schema: { type: "string" }, render: (_input, text) => [{ type: "text", text }] },
          execute: (_input, call) => memory.call(agent, call, { name, readOnly }),
        });
      }
    }),
  );
}

/** A failure of memory is reported, and the agent continues. */
async function tryFor<Result>(
  agent: DshAgent,
  event: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    report(event, error, folderOf(agent));
    return undefined;
  }
}
