import assert from "node:assert/strict";
import { test } from "node:test";
import { refuseCall } from "./refuse-call.ts";

const pins = [
  {
    id: "p1",
    text: "Never push to main",
    status: "pinned" as const,
    by: "person" as const,
    rule: { tool: "Bash", pattern: "git push*main" },
  },
];

function refusalOf(tool: string, input: unknown): string | undefined {
  return refuseCall(pins, { session: "s-1", tool, input, isMemoryTool: false });
}

const lifting = [
  "holdfast unpin p1",
  "holdfast unpin p1 --session s-1",
  "holdfast unpin --session s-1 'p1'",
  "npx holdfast unpin p1",
  "npx -y holdfast@latest unpin p1",
  "npx -p holdfast -c 'holdfast unpin p1'",
  "npx --package=holdfast -- holdfast unpin p1",
  "npm --prefix /src/holdfast run holdfast -- unpin p1",
  "node /tmp/wb/src/cli.ts unpin p1",
  "cd /src/holdfast && node dist/cli.js unpin p1",
  "/usr/local/bin/holdfast unpin p1",
  "C:\\tools\\holdfast.cmd unpin p1",
  "& 'C:\\tools\\holdfast.ps1' unpin p1",
  "cmd /c hold^fast un^pin p1",
  "HOLDFAST_DB=x holdfast unpin p1",
  "env HOLDFAST_DB=x sudo -E holdfast unpin p1",
  "ls && holdfast unpin p1",
  "ls; holdfast unpin p1",
  "ls\nholdfast unpin p1",
  "ls | holdfast unpin p1 || true",
  "(holdfast unpin p1)",
  "{ holdfast unpin p1; }",
  "if true; then holdfast unpin p1; fi",
  "holdfast \\\n  unpin \\\n  p1",
  "holdfast 2>/dev/null unpin >out p1 2>&1",
  `"holdfast" "unpin" "p1"`,
  `hold"fast" un'pin' p\\1`,
  "holdfast {unpin,p1}",
  "{holdfast,unpin,p1}",
  "holdfast un{pin,} p1",
  "holdfast $'un\\x70in' p1",
  "id=p1; holdfast unpin $id",
  "holdfast unpin $ID",
  `a=un b=pin; c="$a$b"; holdfast "$c" p1`,
  "h=holdfast; $h unpin p1",
  "$HOLDFAST unpin p1",
  "for c in unpin; do holdfast $c p1; done",
  `run() { holdfast "$@"; }; run unpin p1`,
  "alias h=holdfast\nh unpin p1",
  "ln -s /usr/bin/holdfast /tmp/h; /tmp/h unpin p1",
  "$(which holdfast) unpin p1",
  "`which holdfast` unpin p1",
  `"$(command -v holdfast)" unpin p1`,
  "holdfast $(echo unpin) p1",
  "echo $(holdfast unpin p1)",
  `git commit -m "$(holdfast unpin p1)"`,
  "cat <<EOF\nthat's `holdfast unpin p1`\nEOF",
  "sh -c 'holdfast unpin p1'",
  `bash -lc "sh -c 'holdfast unpin p1'"`,
  "sh -c holdfast\\ unpin\\ p1",
  "eval 'holdfast unpin p1'",
  "eval $(echo holdfast unpin p1)",
  "echo holdfast unpin p1 | sh",
  "echo 'holdfast unpin p1' | tee x | bash",
  "bash <<< 'holdfast unpin p1'",
  "bash <<'EOF'\nholdfast unpin p1\nEOF",
  "cat <<'EOF' | bash\nholdfast unpin p1\nEOF",
  "bash <(echo holdfast unpin p1)",
  "echo 'holdfast unpin p1' > x.sh && sh x.sh",
  "echo 'holdfast unpin p1' > x.sh; chmod +x x.sh; ./x.sh",
  "echo p1 | xargs holdfast unpin",
  "echo unpin p1 | xargs holdfast",
  "echo p1 | xargs -I X holdfast unpin X",
  `python3 -c "import subprocess; subprocess.run(['holdfast', 'unpin', 'p1'])"`,
  `node -e 'require("child_process").execFileSync("holdfast", ["unpin", "p1"])'`,
  "python3 - <<'EOF'\nimport os\nos.system('holdfast unpin p1')\nEOF",
  "timeout 5 holdfast unpin p1 &",
  "holdfast pin p1 --tool Nothing",
  "holdfast pin --tool=Nothing p1",
  "holdfast pin p1 --pattern x",
  "holdfast pin 'Never push to main' --tool Nothing",
  `holdfast pin " Never  push to main" --tool Nothing`,
  `T="Never push to main"; holdfast pin "$T" --tool Nothing`,
  "holdfast purge s-1",
  "holdfast redact 'git push'",
  "holdfast redact --pattern 'g.t'",
  "holdfast gc --keep 0 --yes",
  "echo '/unpin p1' | holdfast chat",
  "printf '/unpin p1\\n' | holdfast chat --session s-1",
  "holdfast chat -p '/unpin p1'",
  "holdfast chat <<< '/unpin p1'",
];

const passing = [
  "holdfast",
  "holdfast pin",
  "holdfast pin --json",
  "holdfast pin p1",
  "holdfast pin p2 --tool Nothing",
  "holdfast pin 'Never push to main'",
  "holdfast pin 'Use tabs' --tool Write",
  "holdfast show",
  "holdfast show $SESSION",
  "holdfast show s-1 | grep unpin",
  "holdfast search 'holdfast unpin p1'",
  "holdfast undo",
  "holdfast undo s-1 --revision 3",
  "holdfast unpin p12",
  "holdfast unpin p2",
  "holdfast unpin --help",
  "holdfast gc",
  "holdfast gc --keep 3 --dry-run",
  "holdfast purge s-2",
  "holdfast redact hunter2",
  "holdfast redact --secrets",
  "echo 'holdfast unpin p1'",
  "echo holdfast unpin p1 >> notes.txt",
  "grep -rn 'holdfast unpin p1' docs | head",
  "rg 'holdfast unpin p12'",
  "cat src/unpin/p1.ts",
  "git commit -m 'docs: holdfast unpin p1 lifts a rule'",
  "git commit -m \"$(cat <<'EOF'\ndocs: say that holdfast unpin p1 lifts a rule (it's short)\nEOF\n)\"",
  "gh pr create --body 'Run holdfast unpin p1.'",
  "cat > docs/pins.md <<'EOF' && npx biome check docs\nholdfast unpin p1\nEOF",
  "apply_patch <<'EOF'\n+holdfast unpin p1\nEOF",
  "ls # holdfast unpin p1",
  "npm test -- src/surfaces/pins/pins.test.ts",
  "node dist/cli.js show p1",
  "git undo",
];

test("every spelling of a command that lifts a person's rule is refused, with the user's words and the way out [pins.lift]", () => {
  const expected =
    'Not run. The call may lift or change a rule of the user: "Never push to main" (pin p1). Only the user does that, in a terminal: holdfast unpin p1 --session s-1. Ask the user.';
  for (const command of lifting) assert.equal(refusalOf("Bash", { command }), expected, command);
});

test("a command that lifts nothing runs, whatever it quotes [pins.lift]", () => {
  for (const command of passing) assert.equal(refusalOf("Bash", { command }), undefined, command);
});

test("only calls that run commands are searched for one that lifts a rule [pins.lift]", () => {
  const command = "holdfast unpin p1";
  const running: [string, unknown][] = [
    ["Bash", { command, description: "x" }],
    ["bash", { command }],
    ["PowerShell", { command }],
    ["shell", { command: ["bash", "-lc", command] }],
    ["shell", { command: ["holdfast", "unpin", "p1"] }],
    ["local_shell", { action: { command: ["holdfast", "unpin", "p1"] } }],
    ["exec_command", { cmd: command }],
    ["write_stdin", { session_id: 1, chars: `${command}\n` }],
    ["exec", { command }],
    ["process", { action: "write", data: command }],
    ["run_shell_command", { command }],
    ["runInTerminal", { text: command }],
    ["mcp__runner__start", { command: "holdfast", args: ["unpin", "p1"] }],
    ["mcp__runner__batch", { commands: ["ls", command] }],
    ["terminal", command],
  ];
  for (const [tool, input] of running) assert.ok(refusalOf(tool, input), `${tool} ${JSON.stringify(input)}`);
  const other: [string, unknown][] = [
    ["Write", { file_path: "a.md", content: "Run holdfast serve. To lift a rule: unpin it, e.g. npm p1" }],
    ["Write", { file_path: "a.sh", content: command }],
    ["Read", { file_path: "/home/me/holdfast/src/unpin/p1.ts" }],
    ["Grep", { pattern: "holdfast unpin p12" }],
    ["Grep", { pattern: command }],
    ["Edit", { file_path: "a.md", old_string: command, new_string: "" }],
    ["str_replace_based_edit_tool", { command: "create", path: "a.md", file_text: command }],
    ["apply_patch", { command: `*** Begin Patch\n+${command}\n*** End Patch` }],
    ["WebSearch", { query: command }],
    ["Bash", { command: "ls", description: command }],
    ["Bash", undefined],
    ["terminal", "ls"],
  ];
  for (const [tool, input] of other)
    assert.equal(refusalOf(tool, input), undefined, `${tool} ${JSON.stringify(input)}`);
});

test("an agent's own rule may be lifted from a shell [pins.lift]", () => {
  const own = pins.map((pin) => ({ ...pin, by: "agent" as const }));
  const call = { session: "s-1", tool: "Bash", input: { command: "holdfast unpin p1" }, isMemoryTool: false };
  assert.equal(refuseCall(own, call), undefined);
});

test("a hostile command takes linear time to read [pins.pattern]", () => {
  const start = performance.now();
  for (const piece of [
    "echo|",
    "unpin ",
    "$(",
    "`",
    "'\"",
    "a='",
    "<<A\n",
    "{a,",
    "x=y $x",
    "holdfast ",
    "(",
    ">a ",
  ])
    refusalOf("Bash", { command: `holdfast ${piece.repeat(100_000 / piece.length)}` });
  assert.ok(performance.now() - start < 3_000, `${performance.now() - start} ms`);
});
