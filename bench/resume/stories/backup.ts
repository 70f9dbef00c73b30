import { code, log, matches, passed } from "../filler.ts";
import { agent, bash, edit, failing, grep, read, type Story, todo, user, write } from "../story.ts";

const nouns = ["tenant", "snapshot", "volume", "certificate", "bucket", "node"];
const files = [
  "charts/gateway/values.yaml",
  "ops/restore/main.py",
  "ops/certs/renew.py",
  "ops/backup/plan.py",
];

export const backup: Story = {
  id: "backup",
  folder: "/srv/ops",
  steps: [
    user(
      "Since this morning eleven of our forty tenants get certificate errors. Please find out what is wrong and repair it. Tenant 'brightwater' is a hospital: tell me before you touch anything of theirs. And everything that changes the cluster has to be in git first, no kubectl edit.",
    ),
    todo("[>] Find the broken certificates", "[ ] Repair them", "[ ] Make sure that it cannot happen again"),
    bash(
      "kubectl get certificate -A | grep -v True",
      `${["alder", "birch", "brightwater", "cedar", "dune", "elm", "fjord", "grove", "heath", "inlet", "juniper"].map((name) => `t-${name}   wildcard-${name}   False   wildcard-${name}-tls   89d`).join("\n")}`,
    ),
    agent("Eleven certificates are not ready, brightwater's among them. I only read for now."),
    bash(
      "kubectl describe certificate -n t-alder wildcard-alder && kubectl logs -n cert-manager deploy/cert-manager --tail 80",
      `${log(91, nouns, 60, "2026-10-05T06:00:00Z")}\n06:12:44 ERROR order t-alder/wildcard-alder-7: 429 urn:ietf:params:acme:error:rateLimited: too many new orders recently (300 in 3 h), retry after 2026-10-05T18:00:00Z`,
    ),
    grep("renewBefore|issuerRef|dns01", matches(92, files, nouns, 36)),
    read(
      "/srv/ops/ops/certs/renew.py",
      code("python", 93, nouns, {
        middle: `def renew_all(tenants: Iterable[Tenant]) -> None:
    for tenant in tenants:
        order = place_order(tenant.wildcard)
        if order.state != "valid":
            schedule(renew_all, [tenant], delay=seconds(30))`,
        length: 7_000,
      }),
    ),
    agent(
      "The orders hit the limit of the certificate authority: 300 new orders in three hours. renew_all tries again every 30 seconds without end, so one tenant that fails uses up the quota of all others.",
    ),
    bash("kubectl logs -n ops deploy/renew --since 24h | grep -c 'place_order tenant=dune'", "2611"),
    agent("The one that fails is dune: 2,611 orders in 24 hours. Why dune?"),
    bash("dig +short CNAME _acme-challenge.dune.example.net", "_acme-challenge.dune.old-dns.example.org."),
    agent(
      "dune moved its DNS, and _acme-challenge still points to old-dns.example.org, which nobody answers. So their order can never succeed, and it blocked the ten others.",
    ),
    user(
      "Makes sense, dune moved last Thursday. Until they have corrected the record: take dune out of the renewals. And the retry must have an end.",
    ),
    edit(
      "/srv/ops/ops/certs/renew.py",
      "            schedule(renew_all, [tenant], delay=seconds(30))",
      "            schedule(renew_all, [tenant], delay=backoff(tenant, first=minutes(5), most=hours(6), tries=8))",
    ),
    edit(
      "/srv/ops/charts/gateway/values.yaml",
      "  - dune\n",
      "  # dune: without renewals until _acme-challenge is corrected\n",
    ),
    bash("python -m pytest ops/certs -q", `${passed(94, nouns, 27, "PASSED")}\n27 passed in 3.11s`),
    agent(
      "Retries now wait from five minutes up to six hours and end after eight. The authority accepts orders again at 18:00 UTC.",
    ),
    user("We cannot wait until 18:00, that is ten hours. Is there another way?"),
    agent("I try the authority's staging endpoint for the ten."),
    failing(
      "python -m ops.certs renew --tenant alder --endpoint staging",
      `${log(95, nouns, 25, "2026-10-05T08:00:00Z")}\nissued by (STAGING) Pretend Pear X1\ncurl: (60) SSL certificate problem: unable to get local issuer certificate`,
    ),
    agent(
      "Of course: certificates of the staging endpoint are not trusted by browsers. Not a way. We have a second account with ZeroSSL for emergencies, the runbook says; its issuer is 'zerossl-dns'.",
    ),
    user(
      "Use ZeroSSL then, for the nine without brightwater and dune. For brightwater I call the hospital first.",
    ),
    write(
      "/srv/ops/charts/gateway/overrides/zerossl.yaml",
      "issuerRef: zerossl-dns\ntenants: [alder, birch, cedar, elm, fjord, grove, heath, inlet, juniper]\nuntil: 2026-10-12\n",
    ),
    bash(
      "git commit -am 'fix(certs): use the second authority for nine tenants' && git push && flux reconcile kustomization gateway",
      `[main 4e0c7d2] fix(certs): use the second authority for nine tenants\n${log(96, nouns, 40, "2026-10-05T08:20:00Z")}\napplied revision main@4e0c7d2`,
    ),
    bash(
      "kubectl get certificate -A | grep -v True",
      "t-brightwater   wildcard-brightwater   False\nt-dune   wildcard-dune   False",
    ),
    agent(
      "The nine are valid since 08:31 UTC, issued by ZeroSSL. The override ends on October 12, and then they go back to the first authority. Left: brightwater, until you have called, and dune.",
    ),
    user(
      "The hospital agrees, but only between 21:00 and 21:30 UTC tonight, and their interface engine pins the issuer, so brightwater must stay with the first authority, not ZeroSSL.",
    ),
    agent(
      "Then brightwater gets its order from the first authority at 21:00 UTC, when the limit is over anyway. I prepare the change as branch certs/brightwater and do not merge it before 21:00.",
    ),
    bash(
      "git checkout -b certs/brightwater && git commit --allow-empty -m 'chore(certs): renew brightwater at 21:00' && git push -u origin certs/brightwater",
      "[certs/brightwater 77f10aa] chore(certs): renew brightwater at 21:00",
    ),
    todo(
      "[x] Find the broken certificates",
      "[x] Repair nine of them",
      "[ ] brightwater between 21:00 and 21:30 UTC",
      "[ ] dune when its record is corrected",
      "[x] Make sure that it cannot happen again",
    ),
    read("/srv/ops/ops/certs/backoff.py", code("python", 97, nouns, { length: 6_500 })),
    agent(
      "One more thing: the alert for certificates that end soon exists, but it only looks at the namespace gateway, and the certificates have been in t-* since the spring. That is why nobody was warned.",
    ),
    user("Please correct the alert too. 21 days before the end, to the on-call channel, not by e-mail."),
    edit("/srv/ops/alerts/certs.yaml", 'namespace="gateway"', 'namespace=~"t-.*"'),
    bash(
      "promtool test rules alerts/certs.test.yaml",
      `${passed(98, nouns, 12, "SUCCESS")}\nUnit Testing: alerts/certs.test.yaml SUCCESS`,
    ),
    user(
      "Thanks. While we wait for the evening: the quarterly restore exercise is due. Restore the billing database from last night's backup into the namespace drill and tell me how long it takes. Our promise to customers is four hours.",
    ),
    todo(
      "[ ] brightwater between 21:00 and 21:30 UTC",
      "[ ] dune when its record is corrected",
      "[>] Restore billing into drill",
      "[ ] Write the report of the exercise",
    ),
    read("/srv/ops/ops/restore/main.py", code("python", 99, nouns, { length: 8_000 })),
    bash(
      "restic -r s3:backup/billing snapshots --latest 3",
      `ID        Time                 Host      Paths        Size\n91bd03ce  2026-10-03 02:00:11  billing-0 /pgdata  612.4 GiB\nc3077f1a  2026-10-04 02:00:09  billing-0 /pgdata  613.0 GiB\nf2a86e55  2026-10-05 02:00:12  billing-0 /pgdata   41.7 GiB\n${log(100, nouns, 25, "2026-10-05T02:00:00Z")}`,
    ),
    agent(
      "Something is wrong before we begin: last night's snapshot f2a86e55 has 41.7 GiB, and the two before have 613. I look at why before I restore it.",
    ),
    bash(
      "kubectl logs -n billing job/backup-29331 | tail -60",
      `${log(101, nouns, 50, "2026-10-05T02:00:00Z")}\nwarning: /pgdata/base/16401: permission denied (skipped 1,214 files)\nsnapshot f2a86e55 saved\nexit 3 (ignored)`,
    ),
    agent(
      "The backup skipped 1,214 files in /pgdata/base/16401, 'permission denied', and ended with exit code 3, which the job ignores. So last night's backup of billing is incomplete, and nobody was told.",
    ),
    grep(
      "exit 3|--ignore|allow_partial",
      "ops/backup/plan.py:71:    # 3 means that some files could not be read\nops/backup/plan.py:72:    if code in (0, 3):",
    ),
    read("/srv/ops/ops/backup/plan.py", code("python", 102, nouns, { length: 6_500 })),
    bash(
      "kubectl get pod -n billing billing-0 -o jsonpath='{.spec.securityContext}' && git log --oneline -3 charts/billing",
      '{"runAsUser":26,"fsGroup":26}\n8d2b91c feat(billing): run as user 26\n11a07be chore: bump\n0ce6f2a chore: bump',
    ),
    agent(
      "Cause: commit 8d2b91c changed the database to user 26 yesterday, and the backup job still runs as 999. It could read the old files only.",
    ),
    user(
      "That is serious. Fix the job, exit code 3 has to be a failure everywhere, and start a fresh backup of billing now, not tonight. Use --limit-upload 80000, otherwise billing gets slow; we had that in August.",
    ),
    edit("/srv/ops/ops/backup/plan.py", "    if code in (0, 3):", "    if code == 0:"),
    edit("/srv/ops/charts/billing/backup.yaml", "runAsUser: 999", "runAsUser: 26"),
    bash(
      "python -m pytest ops/backup -q && git commit -am 'fix(backup): fail if files cannot be read' && git push",
      `${passed(103, nouns, 33, "PASSED")}\n33 passed\n[main b61e9f0] fix(backup): fail if files cannot be read`,
    ),
    bash(
      "kubectl create job -n billing backup-now --from=cronjob/backup -- --limit-upload 80000",
      "job.batch/backup-now created",
    ),
    bash(
      "kubectl wait -n billing job/backup-now --for=condition=complete --timeout=3h; kubectl logs -n billing job/backup-now | tail -40",
      `${log(104, nouns, 40, "2026-10-05T10:00:00Z")}\nsnapshot 0b7d44e9 saved, 613.8 GiB, 0 errors, 2h06m`,
    ),
    agent(
      "The fresh backup is complete: 0b7d44e9, 613.8 GiB, no errors, 2 h 06 min. I use it for the exercise.",
    ),
    failing(
      "python -m ops.restore billing --snapshot 0b7d44e9 --namespace drill",
      `${log(105, nouns, 30, "2026-10-05T12:30:00Z")}\nERROR volume drill/pgdata-0: requested 500Gi, needs 614Gi: no space left on device after 497 GiB (1h44m)`,
    ),
    agent(
      "The restore stopped after 1 h 44 min: the script asks for a volume of 500 GiB, a number from last year. That would have cost us the promise in a real case. I let it take the size from the snapshot plus 20 %.",
    ),
    edit("/srv/ops/ops/restore/main.py", 'size = "500Gi"', "size = gibibytes(snapshot.size * 1.2)"),
    bash(
      "python -m ops.restore billing --snapshot 0b7d44e9 --namespace drill --parallel 8",
      `${log(106, nouns, 45, "2026-10-05T14:30:00Z")}\nrestored 613.8 GiB in 1h52m, pg_verifybackup ok, replayed WAL 14m, total 2h06m`,
    ),
    agent(
      "Restored with eight parallel readers: 2 h 06 min in total, pg_verifybackup without findings. That is within the four hours.",
    ),
    user(
      "Good. Compare the number of invoices with production, and then delete the namespace drill: there is personal data in it. In the report write both times, also the failed attempt. Auditors want that.",
    ),
    bash(
      "psql drill -c 'select count(*), max(number) from invoice' && psql billing-replica -c 'select count(*), max(number) from invoice where created_at < $$2026-10-05 10:04$$'",
      "  4410982 | INV-2026-118804\n  4410982 | INV-2026-118804",
    ),
    agent("Equal: 4,410,982 invoices, the newest is INV-2026-118804."),
    failing(
      "kubectl delete namespace drill --wait --timeout=120s",
      `${log(107, nouns, 20, "2026-10-05T17:00:00Z")}\nerror: timed out waiting for the condition: namespace drill is Terminating (finalizer snapshot-protection on pvc pgdata-0)`,
    ),
    agent(
      "The namespace hangs in Terminating, because a finalizer 'snapshot-protection' holds the volume. Removing the finalizer by hand would leave a copy of the data in the storage backend. I delete the volume snapshot first.",
    ),
    bash(
      "kubectl get volumesnapshot -n drill",
      "NAME            READY   SIZE    AGE\npre-replay-0    true    614Gi   2h",
    ),
    read("/srv/ops/ops/restore/report.py", code("python", 108, nouns, { length: 6_500 })),
    todo(
      "[ ] brightwater between 21:00 and 21:30 UTC",
      "[ ] dune when its record is corrected",
      "[x] Restore billing into drill",
      "[>] Delete the snapshot pre-replay-0, then the namespace drill",
      "[ ] Write the report of the exercise",
    ),
    user(
      "Yes, the snapshot first and never the finalizer by hand. The report goes to docs/drills/2026-Q4.md. Do not forget brightwater at 21:00.",
    ),
    agent("I delete the snapshot pre-replay-0 now."),
    user("Okay."),
  ],
  questions: [
    {
      id: "2",
      kind: "wish",
      question: "What must the report of the exercise contain, and where does it go?",
      gold: "Both times, also the failed attempt; docs/drills/2026-Q4.md.",
    },
    {
      id: "4",
      kind: "state",
      question: "What is the state of dune's certificate?",
      gold: "Taken out of the renewals until dune corrects its _acme-challenge record.",
    },
    {
      id: "6",
      kind: "finding",
      question: "Why did the certificates of tenants fail that had done nothing wrong?",
      gold: "dune's order could never succeed and was retried every 30 seconds without end, which used up the authority's rate limit (300 orders in 3 h) for all.",
    },
    {
      id: "8",
      kind: "finding",
      question: "What was wrong with last night's backup of billing, and what caused it?",
      gold: "It was incomplete (41.7 GiB, 1,214 files skipped, permission denied): the database runs as user 26 since commit 8d2b91c, the backup job still ran as 999, and exit code 3 was ignored.",
    },
    {
      id: "10",
      kind: "failure",
      question: "Why did the first attempt at the restore fail?",
      gold: "The script asked for a volume of 500 GiB, and 614 were needed; no space after 1 h 44 min.",
    },
    {
      id: "12",
      kind: "artefact",
      question: "Which file makes nine tenants use the second authority, and until when?",
      gold: "charts/gateway/overrides/zerossl.yaml, until 2026-10-12.",
    },
    {
      id: "14",
      kind: "decision",
      question: "In which order is the exercise cleaned up, and what must not be done?",
      gold: "Delete the volume snapshot first, then the namespace; never remove the finalizer by hand.",
    },
  ],
};
