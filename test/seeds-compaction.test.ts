import assert from "node:assert/strict";
import { test } from "node:test";
import { filler, isWarning } from "./support/agent.ts";
import { doors, savedText, summaryText } from "./support/doors.ts";
import { notepadGuidance, warning } from "./support/seed-texts.ts";

for (const name of ["createAgent", "chat", "AI SDK"] as const)
  test(`${name}: warning, the agent's answer, then summary, notepad and system prompt and nothing else [seeds.compaction]`, async (t) => {
    const door = await doors[name](t, {
      surfaces: ["notepad"],
      store: "sqlite",
      placement: "system",
      handoff: false,
      contextWindow: 16_000,
    });
    await door.call([["write_notepad", { content: "- Sheets 1 to 4 are fine" }]]);
    const requests = door.requests ?? [];
    const isCompacted = () => JSON.stringify(requests.at(-1)?.messages).includes(summaryText);
    for (let turn = 1; turn < 20 && !isCompacted(); turn++)
      await door.next(`Look at sheet ${turn}. ${filler(1_500).replaceAll("\n", "")}`);
    assert.ok(isCompacted(), "it was compacted");
    const warned = requests.filter(isWarning);
    assert.equal(warned.length, 1, "one extra turn");
    assert.equal(warned[0]?.messages.at(-1)?.content, warning);
    assert.equal(warned[0]?.messages.at(-1)?.role, "user");

    const { system } = await door.next("What is next?");
    assert.ok(
      system.endsWith(`${notepadGuidance}\n\n## Session Notepad\n- Sheets 1 to 4 are fine\n${savedText}`),
      system,
    );
    const users = (requests.at(-1)?.messages ?? []).filter(({ role }) => role === "user");
    const said = users.map(({ content }) => String(content));
    assert.equal(said[0], `[Summary of the conversation so far]\n${summaryText}\n[End of summary]`);
    // The newest messages stay. After the answer to the warning, a prompt may not end with the agent.
    const kept = /^(?:Look at sheet \d+\. |\[System\] Go on with what was asked\.$|What is next\?$)/;
    for (const text of said.slice(1)) assert.match(text, kept);
  });
