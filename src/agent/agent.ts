import { planCheckpoint } from "../compaction/checkpoint.ts";
import { type NudgeFacts, noNudges, planNudge } from "../compaction/nudges.ts";
import type { Usage } from "../compaction/usage.ts";
import { blocksToFreeze, placements } from "../context/prompt.ts";
import type { Receipt } from "../engine/conversation.ts";
import { HoldfastError } from "../errors.ts";
import type { Session } from "../sessions/session.ts";
import { readScratchpad } from "../surfaces/scratchpad/operations.ts";
import type { Tool } from "../surfaces/surface.ts";
import { findSurfaces } from "../surfaces/surfaces.ts";
import { createToolbox, dotless } from "../surfaces/toolbox.ts";
import { AgentSession, type AgentSetting, makeTokenizer } from "./agent-session.ts";
import { evenIfItFails, finishPendingCalls, type TurnRun } from "./answer.ts";
import { Children } from "./children.ts";
import { type AgentEvent, EventStream } from "./events.ts";
import { compactNow } from "./make-room.ts";
import type { AgentOptions } from "./options.ts";
import { placeChanges, tellFullness } from "./place-changes.ts";
import { unlessAborted } from "./run-tools.ts";
import { runTurn, type TurnResult } from "./turn.ts";

/** A turn that is under way: read its events, or wait for its result, or both. */
export interface Turn extends AsyncIterable<AgentEvent> {
  result: Promise<TurnResult>;
}

export interface SendOptions {
  signal?: AbortSignal;
}

export interface Agent {
  /** One turn. Turns of one session wait for each other. */
  send(sessionId: string, text: string, options?: SendOptions): Turn;
  /** Goes on with a turn that a dead process left unfinished; a finished one is left alone. */
  resume(sessionId: string, options?: SendOptions): Turn;
  /** Compacts now, as `/compact` does. */
  compact(sessionId: string, options?: SendOptions): Turn;
  /** Says that work on the session is over for now: surfaces that keep something outside it write their hand-over. */
  end(sessionId: string, options?: SendOptions): Turn;
  usage(sessionId: string): Promise<Usage>;
  receipts(sessionId: string): Promise<Receipt[]>;
}

/**
 * An agent whose memory survives its context.
 *
 * @example
 * const agent = createAgent({ memory, model, contextWindow: 128_000 });
 * for await (const event of agent.send("audit", "Audit the workbook")) console.log(event);
 */
export function createAgent(options: AgentOptions): Agent {
  const children = new Children(
    options.memory,
    (id, text, signal) => agent.send(id, text, { signal }),
    options.children,
  );
  const setting = settingOf(options, children);
  const sessions = new Map<string, AgentSession>();
  const facts = new Map<string, NudgeFacts>();
  const queues = new Map<string, Promise<void>>();
  /** Sessions whose surfaces have heard that work on them begins. */
  const begun = new Set<string>();

  /** With `emit`: to work on it, and not only to look. */
  const find = async (sessionId: string, emit?: (event: AgentEvent) => void): Promise<AgentSession> => {
    const session: Session = await options.memory.openSession(sessionId);
    let agent = sessions.get(sessionId);
    if (!agent || agent.session !== session) {
      agent = new AgentSession(session, setting);
      sessions.set(sessionId, agent);
    }
    if (emit && !begun.has(sessionId)) {
      begun.add(sessionId);
      await agent.tell({ kind: "start" }, emit);
    }
    await agent.refresh();
    const state = await session.state();
    if (!state.resident.has("epoch/current")) {
      await session.apply(
        { type: "context.open", blocks: blocksToFreeze(setting.toolbox.context(state)) },
        { actor: { kind: "system" } },
      );
    }
    return agent;
  };

  const start = (
    sessionId: string,
    { signal = new AbortController().signal }: SendOptions,
    work: Work,
  ): Turn => {
    const events = new EventStream();
    const emit = (event: AgentEvent) => events.push(event);
    const before = queues.get(sessionId);
    const take = async () => {
      try {
        await unlessAborted(before, signal);
        signal.throwIfAborted();
        signal.addEventListener("abort", () => children.abortChildrenOf(sessionId), { once: true });
        return await work(await find(sessionId, emit), signal, emit);
      } catch (error) {
        emit({ type: "error", message: error instanceof Error ? error.message : String(error) });
        throw error;
      } finally {
        events.end();
      }
    };
    const turn = take();
    // A turn that was aborted while it waited does not let the next one pass.
    queues.set(
      sessionId,
      Promise.allSettled([before, turn]).then(() => undefined),
    );
    // Whoever only reads the events has seen the error there.
    turn.catch(() => undefined);
    return { result: turn, [Symbol.asyncIterator]: () => events[Symbol.asyncIterator]() };
  };

  const factsOf = (sessionId: string): NudgeFacts => {
    const known = facts.get(sessionId) ?? newFacts();
    facts.set(sessionId, known);
    return known;
  };

  const ended = (sessionId: string, result: TurnResult): TurnResult => {
    facts.set(sessionId, nextFacts(factsOf(sessionId), result));
    return result;
  };

  const isOver = (sessionId: string) => () => children.hasReported(sessionId);

  const agent: Agent = {
    send: (sessionId, text, sendOptions = {}) =>
      start(sessionId, sendOptions, async (agent, signal, emit) => {
        if (text.trim() === "")
          throw new HoldfastError("invalid_input", "There is nothing to send: the text is empty.");
        const steer = await nudge(agent, factsOf(sessionId), setting, emit);
        const run = { agent, setting, signal, emit, steer, isOver: isOver(sessionId) };
        // No provider takes a user message between a call and its answer.
        await finishPendingCalls(run);
        await evenIfItFails(run, () => placeChanges(agent, setting));
        await evenIfItFails(run, () => tellFullness(agent, setting));
        await agent.add([{ role: "user", content: text }]);
        return ended(sessionId, await runTurn(run));
      }),
    resume: (sessionId, sendOptions = {}) =>
      start(sessionId, sendOptions, async (agent, signal, emit) => {
        const answered = await agent.lastAnswer();
        if (answered !== undefined)
          return { text: answered, steps: 0, end: "done", wroteMemory: false, compacted: false };
        return ended(
          sessionId,
          await runTurn({ agent, setting, signal, emit, steer: "", isOver: isOver(sessionId) }),
        );
      }),
    compact: (sessionId, sendOptions = {}) =>
      start(sessionId, sendOptions, async (agent, signal, emit) => {
        const run: TurnRun = { agent, setting, signal, emit, steer: "", isOver: isOver(sessionId) };
        await finishPendingCalls(run);
        const compacted = await compactNow(run, "manual");
        // What happened between two turns counts for the hints before the next one.
        factsOf(sessionId).compacted ||= compacted;
        if (run.wroteMemory) factsOf(sessionId).turnsSinceWrite = 0;
        const text = compacted ? "" : "There is nothing to compact yet.";
        return { text, steps: 0, end: "done", wroteMemory: run.wroteMemory ?? false, compacted };
      }),
    end: (sessionId, sendOptions = {}) =>
      start(sessionId, sendOptions, async (agent, _signal, emit) => {
        const { state, messages } = await agent.prompt();
        const checkpoint = planCheckpoint({
          state,
          messages,
          to: state.row.counters.lastMessage,
          earlier: await agent.lastCheckpoint(state),
          countTokens: setting.countTokens,
        });
        await agent.tell({ kind: "end", checkpoint }, emit);
        begun.delete(sessionId);
        return { text: "", steps: 0, end: "done", wroteMemory: false, compacted: false };
      }),
    async usage(sessionId) {
      return (await (await find(sessionId)).prompt()).usage;
    },
    async receipts(sessionId) {
      return (await find(sessionId)).session.receipts();
    },
  };
  return agent;
}

type Work = (
  agent: AgentSession,
  signal: AbortSignal,
  emit: (event: AgentEvent) => void,
) => Promise<TurnResult>;

function settingOf(options: AgentOptions, children: Children): AgentSetting {
  const { limits, countTokens, clock } = options.memory.budget;
  const surfaces = findSurfaces(options.surfaces ?? ["notepad", "notes", "tasks", "results", "sessions"]);
  const toolbox = createToolbox(surfaces, {
    limits,
    countTokens,
    children,
    taken: Object.keys(options.tools ?? {}),
  });
  checkOptions(options, toolbox.tools);
  return {
    options,
    toolbox,
    placement: options.placement ?? "epoch",
    policy: {
      contextWindow: options.contextWindow,
      compactAt: options.compactAt ?? 0.8,
      keep: options.keep ?? 0.25,
      outputReserve: options.outputReserve ?? Math.min(4_000, Math.floor(options.contextWindow * 0.1)),
    },
    base: options.system ?? "",
    tokenizer: makeTokenizer(countTokens),
    countTokens,
    clock,
  };
}

/** A number that is none would never compact; two tools of one name would hide each other. */
function checkOptions(options: AgentOptions, memoryTools: readonly Tool[]): void {
  const { contextWindow, compactAt = 1, keep = 0, outputReserve = 0, maxSteps = 1 } = options;
  const { placement = "epoch" } = options;
  const isShare = (value: number) => value >= 0 && value <= 1;
  for (const [name, value, isFine] of [
    ["contextWindow", contextWindow, Number.isFinite(contextWindow) && contextWindow > 0],
    ["outputReserve", outputReserve, outputReserve >= 0 && outputReserve < contextWindow],
    ["compactAt", compactAt, isShare(compactAt) && compactAt > 0],
    ["keep", keep, isShare(keep)],
    ["maxSteps", maxSteps, maxSteps >= 1],
    ["placement", placement, placements.includes(placement)],
  ] as const) {
    if (!isFine)
      throw new HoldfastError(
        "invalid_input",
        `The agent's option "${name}" cannot be ${value}. contextWindow and outputReserve are tokens, compactAt and keep are shares of the window from 0 to 1, maxSteps is at least 1, placement is one of ${placements.join(", ")}.`,
      );
  }
  const taken = memoryTools.find(({ name }) => Object.hasOwn(options.tools ?? {}, dotless(name)));
  if (taken) {
    throw new HoldfastError(
      "duplicate_tool",
      `The agent's own tool "${dotless(taken.name)}" has the name of a memory tool. Rename it, or leave that surface out.`,
      {
        data: { tool: taken.name },
      },
    );
  }
}

async function nudge(
  agent: AgentSession,
  facts: NudgeFacts,
  setting: AgentSetting,
  emit: (event: AgentEvent) => void,
): Promise<string> {
  const state = await agent.session.state();
  const { notes, plan, refs } = readScratchpad(state);
  const isEmpty =
    !state.row.notepad && notes === "" && plan === "" && refs.length === 0 && state.row.counters.notes === 0;
  const planned = planNudge({ ...facts, isEmpty }, { ...noNudges, ...setting.options.nudges });
  if (!planned) return "";
  facts.given[planned.name] = facts.turns;
  emit({ type: "nudge", text: planned.text });
  return planned.text;
}

function newFacts(): NudgeFacts {
  return {
    turns: 0,
    turnsSinceWrite: 0,
    isEmpty: true,
    wroteThisTurn: true,
    lastText: "",
    compacted: false,
    given: {},
  };
}

function nextFacts(facts: NudgeFacts, result: TurnResult): NudgeFacts {
  return {
    ...facts,
    turns: facts.turns + 1,
    turnsSinceWrite: result.wroteMemory ? 0 : facts.turnsSinceWrite + 1,
    wroteThisTurn: result.wroteMemory,
    lastText: result.text,
    compacted: result.compacted,
  };
}
