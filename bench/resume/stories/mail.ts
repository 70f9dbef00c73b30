import { code, log, matches, passed } from "../filler.ts";
import { agent, bash, edit, failing, grep, read, type Story, todo, user, write } from "../story.ts";

const nouns = ["message", "member", "bounce", "campaign", "address", "queue"];
const files = [
  "union/mail/outbox.py",
  "union/mail/bounces.py",
  "union/members/models.py",
  "union/export/bundle.py",
];

export const mail: Story = {
  id: "mail",
  folder: "/home/dev/union-portal",
  steps: [
    user(
      "Our newsletter reaches only about two thirds of the members since August. The mail provider says we are throttled because of bounces. Find out what we do wrong. Test mails go to the domain example.test only, never to real members. Write commit messages in Norwegian please, the team reads them.",
    ),
    todo("[>] Why are there so many bounces", "[ ] Stop them", "[ ] Tell the board a number"),
    grep("bounce|suppress|soft_fail", matches(151, files, nouns, 40)),
    read(
      "/home/dev/union-portal/union/mail/bounces.py",
      code("python", 152, nouns, {
        middle: `def handle_event(event: ProviderEvent) -> None:
    """Called for each webhook of the provider."""
    if event.type == "bounce" and event.bounce_class == "hard":
        Suppression.objects.get_or_create(address=event.recipient)`,
        length: 7_500,
      }),
    ),
    read(
      "/home/dev/union-portal/union/mail/outbox.py",
      code("python", 153, nouns, {
        middle: `def recipients(campaign: Campaign) -> QuerySet[Member]:
    return Member.objects.filter(active=True).exclude(email__in=Suppression.objects.values("address"))`,
        length: 7_500,
      }),
    ),
    bash(
      "python manage.py shell -c 'print(Suppression.objects.count(), Suppression.objects.latest(\"id\").created)'",
      "20418 2026-08-04 11:52:07+00:00",
    ),
    agent(
      "Suppressions stop on August 4 at 11:52. Since then no hard bounce was recorded, so we keep writing to dead addresses, and the provider throttles us for it. What changed that day?",
    ),
    bash(
      "git log --since 2026-08-03 --until 2026-08-06 --oneline",
      "b2f04ac Oppgrader leverandørens bibliotek til 9.0\n7e19d3b Rett skrivefeil",
    ),
    bash(
      "grep 'webhook' /var/log/portal/access.log | tail -30",
      `${log(154, nouns, 55, "2026-10-01T05:00:00Z")}\nPOST /hooks/mail 200 {"type":"bounce","bounce_type":"permanent","rcpt_to":"..."}`,
    ),
    agent(
      "Version 9 of the provider's library came in with b2f04ac, and its events have other names: bounce_type is 'permanent' instead of bounce_class 'hard', and rcpt_to instead of recipient. Our handler answers 200 and does nothing. No error, hence nobody noticed.",
    ),
    edit(
      "/home/dev/union-portal/union/mail/bounces.py",
      'event.bounce_class == "hard"',
      'event.bounce_type == "permanent"',
    ),
    bash("python -m pytest union/mail -q", `${passed(155, nouns, 34, "PASSED")}\n34 passed in 6.71s`),
    user("Why did the tests not see that?"),
    agent("The tests build events of the old form by hand. I make an event of the real log a fixture."),
    write(
      "/home/dev/union-portal/union/mail/tests/fixtures/bounce-v9.json",
      '{"type":"bounce","bounce_type":"permanent","rcpt_to":"nobody@example.test","reason":"550 5.1.1 user unknown"}\n',
    ),
    failing(
      "python -m pytest union/mail -q -k v9",
      "E   AttributeError: 'ProviderEvent' object has no attribute 'recipient'\nunion/mail/bounces.py:58\n1 failed, 34 passed",
    ),
    agent("Good that there is a fixture now: the recipient's name is still the old one on line 58."),
    edit(
      "/home/dev/union-portal/union/mail/bounces.py",
      "address=event.recipient",
      "address=event.rcpt_to.lower()",
    ),
    bash(
      "python -m pytest union/mail -q && git commit -am 'Les avvisninger i det nye formatet'",
      `${passed(156, nouns, 35, "PASSED")}\n35 passed\n[main 93be10d] Les avvisninger i det nye formatet`,
    ),
    agent(
      "Fixed in 93be10d. The bounces between August 4 and today are missing, though. The provider keeps events for 90 days, so I can fetch them.",
    ),
    failing(
      "python manage.py fetch_bounces --since 2026-08-04",
      `${log(157, nouns, 30, "2026-10-01T08:00:00Z")}\nHTTP 429 after 12,000 of about 61,000 events: events API allows 12,000 per day on plan Basic`,
    ),
    agent(
      "The provider's events API gives us 12,000 events per day on our plan, and there are about 61,000. So it takes six days, or another plan.",
    ),
    user(
      "No other plan. Take the newest first, and one portion each night at 03:00 with cron. And do not send any campaign until all are in: the general meeting's invitation on October 20 has to arrive.",
    ),
    edit(
      "/home/dev/union-portal/deploy/crontab",
      "# mail\n",
      "# mail\n0 3 * * * portal manage.py fetch_bounces --newest-first --limit 12000\n",
    ),
    edit(
      "/home/dev/union-portal/union/mail/outbox.py",
      "def recipients(campaign: Campaign)",
      "CAMPAIGNS_BLOCKED = True  # until the missed bounces are in\n\n\ndef recipients(campaign: Campaign)",
    ),
    bash(
      "git commit -am 'Hent tapte avvisninger om natten' && ./deploy.sh staging",
      `[main 0fa6e41] Hent tapte avvisninger om natten\n${log(158, nouns, 35, "2026-10-01T09:00:00Z")}\ndeployed 0fa6e41 to staging`,
    ),
    agent(
      "On staging. Campaigns are blocked by CAMPAIGNS_BLOCKED in union/mail/outbox.py, which has to be removed when all events are in.",
    ),
    user("Deploy it to production today as well, I have told the others. How many members are concerned?"),
    bash(
      "./deploy.sh production && python manage.py shell < scripts/count_dead.py",
      `${log(159, nouns, 40, "2026-10-01T10:00:00Z")}\ndeployed 0fa6e41 to production\nmembers with mail: 58112\nbounced since 2026-08-04 (first 12,000 events): 3871 addresses`,
    ),
    agent(
      "It is in production since 10:20. In the first 12,000 events there are 3,871 dead addresses among 58,112 members. Extrapolated I would say about 9,000 at most, since many events repeat an address.",
    ),
    user("Do not tell the board an extrapolation. They get the number when all portions are in."),
    agent("Noted: the board gets the counted number only."),
    read("/home/dev/union-portal/union/mail/throttle.py", code("python", 160, nouns, { length: 6_500 })),
    todo(
      "[x] Why are there so many bounces",
      "[>] Fetch the missed bounces, six nights",
      "[ ] Remove CAMPAIGNS_BLOCKED",
      "[ ] Tell the board the counted number",
    ),
    user(
      "While that runs: a member asked for all data that we have about her, under GDPR. We have thirty days, until October 28. Build an export that the office can press a button for. It must include the case notes of the legal advisers only if the adviser has released them.",
    ),
    todo(
      "[>] Fetch the missed bounces, six nights",
      "[ ] Remove CAMPAIGNS_BLOCKED",
      "[ ] Tell the board the counted number",
      "[>] Find where personal data is",
      "[ ] Build the export",
    ),
    bash(
      "python manage.py graph_models --relations member",
      `${log(161, ["table", "relation", "column"], 30, "2026-10-01T11:00:00Z")}\nmember: 23 tables with a foreign key\nwithout a foreign key but with an e-mail column: survey_answer, event_guest, mail_log`,
    ),
    read("/home/dev/union-portal/union/members/models.py", code("python", 162, nouns, { length: 8_000 })),
    agent(
      "23 tables point to a member. Three more hold personal data without a foreign key, only with the e-mail address: survey_answer, event_guest and mail_log. These are easily forgotten, so the export looks for them by address.",
    ),
    read(
      "/home/dev/union-portal/union/cases/models.py",
      code("python", 163, ["note", "case", "adviser", "release"], {
        middle: `class CaseNote(models.Model):
    case = models.ForeignKey(Case, on_delete=models.PROTECT)
    text = EncryptedTextField()
    released_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)`,
        length: 6_500,
      }),
    ),
    agent(
      "A release can be withdrawn: a note counts as released if released_at is set and withdrawn_at is empty.",
    ),
    write(
      "/home/dev/union-portal/union/export/bundle.py",
      code("python", 164, ["member", "bundle", "note", "table"], {
        head: '"""Everything that we know about a member, as one zip."""',
        length: 6_000,
      }),
    ),
    failing(
      "python manage.py export_member --id 4 --out /tmp/x.zip",
      `${log(165, ["table", "column"], 20, "2026-10-01T13:00:00Z")}\nMemoryError while adding mail_log (2,114,882 rows read)`,
    ),
    agent(
      "mail_log has no index on the address, and Django loads all 2,114,882 rows before filtering, because the column is encrypted. There is a hash column address_sha256 beside it; that one is indexed. I filter by it.",
    ),
    edit(
      "/home/dev/union-portal/union/export/bundle.py",
      "MailLog.objects.filter(address=member.email)",
      "MailLog.objects.filter(address_sha256=sha256_of(member.email.lower()))",
    ),
    bash(
      "python manage.py export_member --id 4 --out /tmp/x.zip && unzip -l /tmp/x.zip",
      "26 files, 1.9 MB, 3.4 s\nREADME.txt members.json cases.json notes/ mail_log.csv survey_answer.csv event_guest.csv ...",
    ),
    agent("3.4 seconds, 26 files. Each table is a file, notes are texts."),
    user(
      "Our data protection officer looked at it: people do not understand JSON. He wants one PDF in Norwegian, and the CSV files only as an attachment. And names of other members have to be blackened, for example in event_guest the person who invited her.",
    ),
    failing(
      "pip install weasyprint && python manage.py export_member --id 4 --pdf",
      `${log(166, ["font", "page", "style"], 25, "2026-10-02T08:00:00Z")}\nOSError: cannot load library 'libpango-1.0-0': the production image is distroless`,
    ),
    agent(
      "WeasyPrint needs Pango as a system library, and our production image is distroless, so it cannot be installed there. I use reportlab, which is pure Python and is in the requirements already, for the membership cards.",
    ),
    write(
      "/home/dev/union-portal/union/export/pdf.py",
      code("python", 167, ["page", "section", "member", "font"], {
        head: '"""The export as one PDF in Norwegian, with reportlab."""',
        length: 6_000,
      }),
    ),
    bash(
      "python -m pytest union/export -q",
      `${passed(168, ["bundle", "page", "member"], 28, "PASSED")}\n28 passed in 5.90s`,
    ),
    grep(
      "display_name|invited_by|written_by",
      matches(169, ["union/events/models.py", "union/export/bundle.py"], ["guest", "member"], 30),
    ),
    agent(
      "Names of others appear in four places: event_guest.invited_by, case notes (written_by is the adviser), survey comments, and the history of a membership (changed_by). I blacken the members; advisers and staff act in office, so I would leave their names.",
    ),
    user("Staff: yes, leave. Advisers: blacken too, two were threatened last year."),
    edit("/home/dev/union-portal/union/export/bundle.py", "visible = staff | advisers", "visible = staff"),
    bash(
      "python manage.py export_member --id 4 --pdf --out /tmp/x.zip && python scripts/find_names.py /tmp/x.zip",
      `${log(170, ["page", "section"], 25, "2026-10-02T10:00:00Z")}\nother members: 0\nadvisers: 1 (notes/2024-118.txt: a first name in the running text)`,
    ),
    agent(
      "One adviser's first name is left, inside the running text of a note (notes/2024-118.txt). A program cannot find that reliably. I suggest that the office reads released notes before they send them.",
    ),
    user(
      "Agreed: the button makes a draft, and somebody in the office has to release it after reading. Two persons, not one. Store who released it, for five years.",
    ),
    edit(
      "/home/dev/union-portal/union/export/models.py",
      "class Export(models.Model):",
      "class Export(models.Model):\n    drafted_by = models.ForeignKey(User, on_delete=models.PROTECT)\n    released_by_first = models.ForeignKey(User, null=True, on_delete=models.PROTECT)\n    released_by_second = models.ForeignKey(User, null=True, on_delete=models.PROTECT)",
    ),
    bash(
      "python manage.py makemigrations export && python -m pytest union/export -q && git checkout -b innsyn && git commit -am 'Utkast til innsyn med to godkjenninger'",
      `union/export/migrations/0003_release.py\n${passed(171, ["bundle", "page", "member"], 33, "PASSED")}\n33 passed\n[innsyn a81c5f3] Utkast til innsyn med to godkjenninger`,
    ),
    agent(
      "Branch innsyn, commit a81c5f3: the button makes a draft, and two different people have to release it. The deletion after five years is not built yet.",
    ),
    read(
      "/home/dev/union-portal/union/export/views.py",
      code("python", 172, ["export", "draft", "member", "release"], { length: 6_500 }),
    ),
    bash(
      "tail -5 /var/log/portal/fetch_bounces.log",
      "2026-10-02 03:00 portion 1: 12000 events, 3871 addresses\n2026-10-03 03:00 portion 2: 12000 events, 1544 addresses (total 5415)\n2026-10-04 03:00 portion 3: 11998 events, 702 addresses (total 6117)",
    ),
    agent("Three of six portions of bounces are in, 6,117 addresses so far."),
    todo(
      "[>] Fetch the missed bounces, three of six nights done",
      "[ ] Remove CAMPAIGNS_BLOCKED",
      "[ ] Tell the board the counted number",
      "[x] Build the export",
      "[ ] Delete releases after five years",
      "[ ] Deploy innsyn to staging for the officer",
    ),
    user(
      "Very good. Next is the deletion after five years, as a management command and not as a database trigger; then put innsyn on staging for the data protection officer. Production only when he has agreed in writing. The member's own export has to go out by October 26, two days before the deadline.",
    ),
    agent("I begin with the command delete_old_releases."),
    user("Fine, thanks."),
  ],
  questions: [
    {
      id: "2",
      kind: "wish",
      question: "When may case notes be part of a member's export?",
      gold: "Only if the adviser has released them (and not withdrawn the release).",
    },
    {
      id: "4",
      kind: "state",
      question: "Can newsletters be sent at the moment? What has to happen before?",
      gold: "No, CAMPAIGNS_BLOCKED in union/mail/outbox.py blocks them; it is removed when all missed bounces are in.",
    },
    {
      id: "6",
      kind: "finding",
      question: "Why were no dead addresses recorded any more, and since when?",
      gold: "Since August 4 the provider's library 9.0 (b2f04ac) names things differently (bounce_type 'permanent', rcpt_to), and the handler ignored the events silently.",
    },
    {
      id: "8",
      kind: "finding",
      question: "What did the search for names still find in an export?",
      gold: "One adviser's first name in the running text of a note (notes/2024-118.txt).",
    },
    {
      id: "10",
      kind: "failure",
      question: "Which PDF library could not be used, and why?",
      gold: "WeasyPrint: needs Pango as a system library, and the production image is distroless.",
    },
    {
      id: "12",
      kind: "artefact",
      question: "Which fixture has an event in the provider's new form?",
      gold: "union/mail/tests/fixtures/bounce-v9.json",
    },
    {
      id: "14",
      kind: "decision",
      question: "What is built next and in which form, and when may it go to production?",
      gold: "Deletion after five years, as a management command (no database trigger); then staging; production only after the data protection officer agreed in writing.",
    },
  ],
};
