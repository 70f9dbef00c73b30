import { code, log, matches, passed } from "../filler.ts";
import { agent, bash, edit, failing, grep, read, type Story, todo, user, write } from "../story.ts";

const nouns = ["sample", "series", "batch", "gateway", "meter", "flush"];
const files = [
  "internal/ingest/decode.go",
  "internal/ingest/pool.go",
  "internal/store/series.go",
  "cmd/ingestd/main.go",
];

export const telemetry: Story = {
  id: "telemetry",
  folder: "/opt/meterd",
  steps: [
    user(
      "ingestd grows until the kernel kills it, about every nineteen hours, on all four nodes. Please find the leak. You may use node ingest-4 for experiments, never ingest-1: the utility's auditors read from it. I would like to see evidence before a fix.",
    ),
    todo("[>] Reproduce the growth", "[ ] Find what grows", "[ ] Fix it", "[ ] Run it for a day on ingest-4"),
    grep("sync.Pool|make\\(chan|go func", matches(31, files, nouns, 40)),
    read(
      "/opt/meterd/cmd/ingestd/main.go",
      code("go", 32, nouns, {
        head: "package main\n\n// listens on :9471 for gateways and on 127.0.0.1:6071 for pprof",
        length: 6_000,
      }),
    ),
    bash(
      "ssh ingest-4 'curl -s 127.0.0.1:6071/debug/pprof/heap > /tmp/h1 && sleep 600 && curl -s 127.0.0.1:6071/debug/pprof/heap > /tmp/h2 && go tool pprof -top -base /tmp/h1 /tmp/h2'",
      `Showing nodes accounting for 41.20MB, 96.1% of 42.87MB total
      flat  flat%   sum%        cum   cum%
   33.51MB 78.17% 78.17%    33.51MB 78.17%  bytes.growSlice
    4.19MB  9.77% 87.94%     4.19MB  9.77%  meterd/internal/ingest.(*decoder).frame
    3.50MB  8.16% 96.10%     3.50MB  8.16%  meterd/internal/store.(*seriesCache).put
${log(33, nouns, 20)}`,
    ),
    agent(
      "In ten minutes 42.87 MB more, and 78 % of it comes from bytes.growSlice, under the decoder. So it is buffers and not goroutines.",
    ),
    read(
      "/opt/meterd/internal/ingest/decode.go",
      code("go", 34, nouns, {
        middle: `var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func (d *decoder) frame(r io.Reader) (*Frame, error) {
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	defer buffers.Put(buf)
	if _, err := io.CopyN(buf, r, int64(d.header.length)); err != nil {
		return nil, err
	}
	return parseFrame(buf.Bytes())
}`,
        length: 7_500,
      }),
    ),
    agent(
      "Suspicion: one huge frame grows a pooled buffer, and the pool keeps it. I cap what goes back into the pool at 64 KiB.",
    ),
    edit(
      "/opt/meterd/internal/ingest/decode.go",
      "\tdefer buffers.Put(buf)",
      "\tdefer func() {\n\t\tif buf.Cap() <= 64<<10 {\n\t\t\tbuffers.Put(buf)\n\t\t}\n\t}()",
    ),
    bash(
      "make deploy NODE=ingest-4 && sleep 3600 && ssh ingest-4 'ps -o rss= -C ingestd'",
      `${log(35, nouns, 40)}\nrss before 311244 kB, after 1 h 566120 kB`,
    ),
    agent(
      "That did not stop it: 311 MB to 566 MB within the hour, the same slope as before. So the pool is not it. I take the change back.",
    ),
    bash("git checkout internal/ingest/decode.go", ""),
    user("Agreed, no changes on suspicion. What does parseFrame keep?"),
    read(
      "/opt/meterd/internal/ingest/frame.go",
      code("go", 36, nouns, {
        middle: `// parseFrame does not copy: labels point into the frame.
func parseFrame(b []byte) (*Frame, error) {
	f := &Frame{Labels: make([]Label, 0, 8)}
	for len(b) > 0 {
		n := int(b[0])
		f.Labels = append(f.Labels, Label{Name: unsafe.String(&b[1], n)})
		b = b[1+n:]
	}
	return f, nil
}`,
        length: 6_500,
      }),
    ),
    read(
      "/opt/meterd/internal/store/series_cache.go",
      code("go", 37, nouns, {
        middle: `func (c *seriesCache) put(f *Frame) {
	key := f.key()
	if _, ok := c.known[key]; !ok {
		c.known[key] = f.Labels
	}
}`,
        length: 6_000,
      }),
    ),
    agent(
      "Evidence: parseFrame makes labels with unsafe.String that point into the frame's buffer, and seriesCache.put keeps those labels forever in c.known. So each new series pins a whole frame, 30 KB on average, for 60 bytes of label. It is worse than a leak: the pool reuses that memory, so cached labels can change under us.",
    ),
    bash("ssh ingest-4 \"grep -c 'label mismatch' /var/log/ingestd/current\"", "2217"),
    agent("And that does happen: 2,217 'label mismatch' lines in today's log of ingest-4."),
    user(
      "Excellent, that explains the wrong meter names that support has been reporting since version 3.8. Fix it with strings.Clone in the cache, not in the parser: the parser's benchmark is part of our contract (below 900 ns per frame).",
    ),
    edit(
      "/opt/meterd/internal/store/series_cache.go",
      "\t\tc.known[key] = f.Labels",
      "\t\tc.known[strings.Clone(key)] = cloneLabels(f.Labels)",
    ),
    bash(
      "go test ./internal/... -run . -bench Frame -benchtime 2s",
      `${passed(38, nouns, 52, "---")}\nBenchmarkFrame-8   2911034   811.4 ns/op   1 allocs/op\nok   meterd/internal/store   4.118s`,
    ),
    bash(
      "make deploy NODE=ingest-4 && sleep 7200 && ssh ingest-4 'ps -o rss= -C ingestd'",
      `${log(39, nouns, 40)}\nrss after start 298112 kB, after 2 h 301880 kB; label mismatch: 0`,
    ),
    agent(
      "Flat: 298 MB after the start and 302 MB two hours later, no label mismatch, and the parser is at 811 ns. Commit 5be07f1 on branch leak/labels. The whole day on ingest-4 is still to come.",
    ),
    todo(
      "[x] Reproduce the growth",
      "[x] Find what grows",
      "[x] Fix it",
      "[>] Run it for a day on ingest-4",
      "[ ] Roll out to ingest-2 and ingest-3",
      "[ ] ingest-1 last, in the auditors' window",
    ),
    user(
      "Roll-out order: 2 and 3 after the day is over, and 1 last, in the auditors' window on Sunday 04:00 to 05:00 UTC. Use the canary flag, as we agreed with operations.",
    ),
    agent("Noted. Meanwhile I look at what else the cache keeps."),
    read("/opt/meterd/internal/store/series.go", code("go", 40, nouns, { length: 7_000 })),
    bash(
      "ssh ingest-4 'ingestd-ctl cache stats'",
      `series: 188402\nlabels: 1507216\nevictions: 0\nhit rate: 99.2 %\n${log(41, nouns, 25)}`,
    ),
    agent("188,402 series and no eviction at all. That is bounded by the number of meters, so I leave it."),
    user(
      "Change of plan, this is more urgent: the monthly report query takes 40 minutes since we passed two billion rows. It must be below five minutes by the end of the week. Postgres 16, table reading, partitioned by month. Do not add an index on the live table during the day; the last time that stopped ingestion for eleven minutes.",
    ),
    todo(
      "[>] Explain the report query",
      "[ ] Make it fast",
      "[ ] Run it for a day on ingest-4",
      "[ ] Roll out to ingest-2 and ingest-3",
      "[ ] ingest-1 last, in the auditors' window",
    ),
    read(
      "/opt/meterd/reports/monthly.sql",
      `select m.zone, date_trunc('day', r.at) as day, sum(r.kwh)
from reading r join meter m on m.id = r.meter_id
where r.at >= $1 and r.at < $2::date + interval '1 month'
group by 1, 2 order by 1, 2;
-- the report service binds all parameters as text`,
    ),
    bash(
      "psql report -c \"explain (analyze, buffers) execute monthly('2026-08-01', '2026-08-01')\"",
      `GroupAggregate  (actual time=2391044.1..2402118.9 rows=3720 loops=1)
  ->  Sort  (actual rows=171206332) Sort Method: external merge  Disk: 7340032kB
        ->  Append  (actual rows=171206332)
              ->  Seq Scan on reading_2026_01 (actual rows=0)   Rows Removed by Filter: 168811020
              ->  Seq Scan on reading_2026_02 (actual rows=0)   Rows Removed by Filter: 152901772
              ->  ... 6 more partitions with rows=0 ...
              ->  Seq Scan on reading_2026_08 (actual rows=171206332)
Planning Time: 1.9 ms  Execution Time: 2402201.3 ms
${log(42, ["buffer", "page", "worker"], 30)}`,
    ),
    agent(
      "Two problems. First, no pruning: it scans all partitions of the year and keeps rows of one. Second, the sort of 171 million rows spills 7 GB to disk.",
    ),
    agent(
      "The pruning fails because the report service binds the dates as text, and the cast to date plus interval gives a timestamp without time zone, while reading.at has one. The planner cannot compare that with the partition bounds at plan time.",
    ),
    edit(
      "/opt/meterd/reports/monthly.sql",
      "where r.at >= $1 and r.at < $2::date + interval '1 month'",
      "where r.at >= $1::timestamptz and r.at < $2::timestamptz",
    ),
    failing(
      "psql report -c \"explain (analyze) execute monthly('2026-08-01', '2026-09-01')\"",
      `${log(43, ["buffer", "page", "worker"], 20)}\nERROR:  canceling statement due to statement timeout\nDETAIL:  work_mem 4GB: could not allocate, worker 3 terminated by signal 9`,
    ),
    agent(
      "I had also set work_mem to 4 GB for that session, and a worker was killed: four workers with 4 GB each is more than the machine's 12 GB. Not again. With the default of 64 MB:",
    ),
    bash(
      "psql report -c \"explain (analyze) execute monthly('2026-08-01', '2026-09-01')\"",
      "Append (1 partition: reading_2026_08)  Execution Time: 1020417.2 ms",
    ),
    agent(
      "Pruned to one partition: 17 minutes instead of 40. Still too much; the rest is the sort. A BRIN index would not help here, because the rows of a month are all needed anyway. What helps is to aggregate less: a rollup per meter and day.",
    ),
    user(
      "Make the rollup, but incremental, and keep it outside the ingest path. Operations does not allow triggers on reading. Name it reading_daily, they already have dashboards for that name.",
    ),
    write(
      "/opt/meterd/db/0147_reading_daily.sql",
      `create table reading_daily (meter_id bigint, day date, kwh numeric(14,3), primary key (meter_id, day)) partition by range (day);\n-- filled by cmd/rollupd, never by a trigger\n`,
    ),
    write(
      "/opt/meterd/cmd/rollupd/main.go",
      code("go", 45, nouns, {
        head: "package main\n\n// rollupd adds up the readings of a day, and again if late readings arrive within 72 hours",
        length: 5_500,
      }),
    ),
    bash(
      "go vet ./... && go test ./cmd/rollupd",
      `${passed(46, nouns, 30, "---")}\nok   meterd/cmd/rollupd   2.204s`,
    ),
    bash(
      "psql report_copy -f db/0147_reading_daily.sql && ./rollupd --once --month 2026-08 --database report_copy",
      `${log(47, nouns, 45)}\nrolled up 31 days, 171206332 readings, 5518034 rows, 6m41s`,
    ),
    agent(
      "On report_copy the month rolls up in 6:41 into 5,518,034 rows. That is done once per day in the background; the report then reads only the rollup.",
    ),
    bash(
      "psql report_copy -c \"explain (analyze) execute monthly_daily('2026-08-01', '2026-09-01')\"",
      "Execution Time: 3127.6 ms",
    ),
    agent("The report takes 3.1 seconds. I compare its sums with the old query's."),
    failing(
      "./compare-reports old.csv new.csv",
      `${log(48, nouns, 20)}\n3 of 3720 rows differ:\nzone 17, 2026-08-30: 88121.402 / 88097.118\nzone 17, 2026-08-31: 91004.550 / 91028.834\nzone 22, 2026-08-31: 4410.003 / 4408.910`,
    ),
    agent(
      "Three of 3,720 rows differ, all in zones 17 and 22. The kilowatt-hours moved from one day to the next: those two zones are in Europe/Lisbon, and rollupd cuts days in UTC. The old query used the session's time zone, which is UTC as well, but the zone's own offset is in meter.tz.",
    ),
    user("Which one is right? According to the contract, days are those of the meter's own time zone."),
    agent(
      "Then both are wrong for those zones, the old one too, and the rollup has to use meter.tz. I change rollupd.",
    ),
    edit(
      "/opt/meterd/cmd/rollupd/main.go",
      "day := r.At.UTC().Truncate(24 * time.Hour)",
      "day := civilDay(r.At, zones[r.MeterID])",
    ),
    bash(
      "go test ./cmd/rollupd -run Zone -v",
      `${passed(49, nouns, 26, "---")}\nok   meterd/cmd/rollupd   1.980s`,
    ),
    user(
      "Please write to nobody about the old numbers, I tell the utility myself. And keep the old query in the repository until they have answered.",
    ),
    bash(
      "git add -A && git commit -m 'feat(reports): roll readings up per day'",
      "[report/daily 90a3c7e] feat(reports): roll readings up per day\n 5 files changed, 412 insertions(+), 3 deletions(-)",
    ),
    read("/opt/meterd/cmd/rollupd/late.go", code("go", 50, nouns, { head: "package main", length: 6_500 })),
    agent(
      "State: branch report/daily (90a3c7e) has the rollup with the meters' own days; the roll-up of the earlier months has not been run with it. On the leak, the day on ingest-4 ends tonight at 21:30 UTC.",
    ),
    todo(
      "[x] Explain the report query",
      "[x] Make it fast",
      "[>] Roll up January to August again with meter.tz on report_copy",
      "[ ] Read the day's memory on ingest-4 after 21:30 UTC",
      "[ ] Roll out to ingest-2 and ingest-3",
      "[ ] ingest-1 last, in the auditors' window",
    ),
    user(
      "Good. Roll up January to August on report_copy tonight, one month after the other, not in parallel, and stop if a month takes more than fifteen minutes. Production gets 0147 in Tuesday's maintenance at 02:00 UTC.",
    ),
    agent("I start with January."),
    bash(
      "./rollupd --once --month 2026-01 --database report_copy",
      `${log(51, nouns, 60)}\nrolled up 31 days, 168811020 readings, 5440122 rows, 7m02s`,
    ),
    agent("January took 7:02. February is next."),
    user("Thanks, continue."),
  ],
  questions: [
    {
      id: "2",
      kind: "wish",
      question:
        "What did the user ask about telling others of the wrong old numbers, and about the old query?",
      gold: "Write to nobody, the user tells the utility; keep the old query in the repository until they have answered.",
    },
    {
      id: "4",
      kind: "state",
      question: "What is still to be done for the memory fix?",
      gold: "Read the memory on ingest-4 after the day is over (21:30 UTC), then roll out to ingest-2 and ingest-3, and ingest-1 last.",
    },
    {
      id: "6",
      kind: "finding",
      question: "What exactly kept the memory, and what second damage did it do?",
      gold: "Cached labels (unsafe.String) pointed into frame buffers and pinned them in the series cache; the pool reused the memory, so labels changed (label mismatch, wrong meter names).",
    },
    {
      id: "8",
      kind: "finding",
      question: "Why did three rows differ between the old and new report?",
      gold: "Zones 17 and 22 are in Europe/Lisbon: days were cut in UTC instead of the meter's own time zone (meter.tz); both were wrong.",
    },
    {
      id: "10",
      kind: "failure",
      question: "Which setting killed a database worker, and why?",
      gold: "work_mem of 4 GB: four workers with 4 GB each on a machine with 12 GB.",
    },
    {
      id: "12",
      kind: "artefact",
      question: "On which branch and commit is the fix of the leak?",
      gold: "leak/labels, 5be07f1.",
    },
    {
      id: "14",
      kind: "decision",
      question: "How shall the months be rolled up, and when is it to be stopped?",
      gold: "One after the other, not in parallel; stop if a month takes more than fifteen minutes.",
    },
  ],
};
