/** How the guest calls the host: only strings cross the boundary. Returns true once the program has reached a limit. */
type HostCall = (kind: string, ...texts: string[]) => boolean;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * Runs first in every VM. The host passes it as source text, so it must not use anything outside itself.
 * A program that tampers with built-in objects only harms itself: the host trusts nothing from here.
 */
export function bootGuest(host: HostCall) {
  const { stringify, parse } = JSON;
  const { create, freeze } = Object;
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  const waiting: Record<string, Waiting> = create(null);
  let calls = 0;

  /** The host is about to end the program; throwing stops it until then. */
  const stopIf = (isOver: boolean) => {
    if (isOver) throw new Error("The program reached a limit.");
  };

  const callHost = (path: string, args: unknown[]) => {
    let isOver = false;
    const answer = new Promise((resolve, reject) => {
      const text = stringify(args);
      const call = `${++calls}`;
      waiting[call] = { resolve, reject };
      isOver = host("call", call, path, text);
    });
    stopIf(isOver);
    return answer;
  };

  const show = (value: unknown): string => {
    if (typeof value !== "object" || value === null) return String(value);
    try {
      return value instanceof Error ? `${value}` : String(stringify(value));
    } catch {
      return "[value that cannot be displayed]";
    }
  };

  const describe = (error: unknown): [message: string, stack: string] => {
    try {
      if (error === null || typeof error !== "object") return [`threw ${show(error)}`, ""];
      const { name, message, stack } = error as Error;
      return [`${name}: ${message}`, `${stack}`];
    } catch {
      return ["threw a value that cannot be displayed", ""];
    }
  };

  const finish = (value: unknown) => host("done", stringify(value) ?? "null");
  const fail = (error: unknown) => {
    const [message, stack] = describe(error);
    host("failed", message, stack);
  };

  const log = (...values: unknown[]) => stopIf(host("log", values.map(show).join(" ")));
  const console = freeze({ log, info: log, warn: log, error: log, debug: log });

  /** `["session.notepad.read"]` becomes `{ session: { notepad: { read() } } }`. */
  const buildApi = (paths: string[]): Record<string, unknown> => {
    const root = create(null);
    for (const path of paths) {
      const names = path.split(".");
      const last = names.pop() as string;
      let at = root;
      for (const name of names) at = at[name] ??= create(null);
      at[last] = (...args: unknown[]) => callHost(path, args);
    }
    const seal = (value: Record<string, unknown>) => {
      for (const each of Object.values(value))
        if (typeof each === "object") seal(each as Record<string, unknown>);
      return freeze(value);
    };
    return seal(root);
  };

  /** Every VM starts from the same snapshot, so randomness has to come from outside. */
  const seedRandom = (seed: number) => {
    let state = seed;
    Math.random = () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    };
  };

  const none = freeze(create(null));
  let api: Record<string, unknown> = none;

  return {
    offer(paths: string) {
      api = buildApi(parse(paths));
    },
    start(program: (...scope: unknown[]) => Promise<unknown>, input: string, seed: string) {
      seedRandom(+seed | 0);
      const parsedInput = parse(input);
      const { session = none, state = none, tools = none } = api;
      const run = async () => {
        const value = await program(parsedInput, session, state, tools, console);
        return typeof value === "function" ? value(parsedInput) : value;
      };
      apply(then, apply(then, run(), [finish]), [undefined, fail]);
    },
    settle(call: string, failed: string, text: string) {
      const entry = waiting[call];
      delete waiting[call];
      if (!entry) return;
      const value = text === "" ? undefined : parse(text);
      if (failed === "") entry.resolve(value);
      else entry.reject(Object.assign(new Error(value.message), { code: value.code }));
    },
  };
}
