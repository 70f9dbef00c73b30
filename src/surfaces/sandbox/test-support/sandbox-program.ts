/** Runs in a separate process, with the sandbox module in its argument: kills a program, runs another, closes nothing. */
const { createSandbox } = (await import(process.argv[2] ?? "")) as typeof import("../index.ts");
const sandbox = createSandbox({ workers: 1 });
const killed = await sandbox.run({
  code: "for (;;) JSON.stringify(new Array(100_000).fill(1.5));",
  limits: { cpuMilliseconds: 50 },
});
const done = await sandbox.run({ code: "const one: number = 1; return one + input", input: 1 });
console.log(JSON.stringify([!killed.ok && killed.limit, done]));
