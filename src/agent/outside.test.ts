import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { inOrder, openStage } from "../../test/support/agent.ts";
import { defineTool, type Surface, type Tool } from "../index.ts";

/** A surface that shows a text from outside the session and offers the current tools. */
function weatherSurface(): Surface & { now: string; made: Tool[] } {
  let shown = "";
  const surface = {
    name: "weather",
    now: "sun",
    made: [] as Tool[],
    tools: [],
    guidance: () => "",
    refresh: async () => {
      shown = surface.now;
    },
    block: () => ({ placement: "system" as const, text: `[Weather: ${shown}]` }),
    extraTools: () => surface.made,
  };
  return surface;
}

const forecast = defineTool({
  name: "forecast",
  description: "Tells the weather of tomorrow.",
  input: z.strictObject({ place: z.string() }),
  output: z.object({ weather: z.string() }),
  readOnly: true,
  run: async (_call, { place }) => ({ weather: `rain in ${place}` }),
});

const count = (text: string, part: string) => text.split(part).length - 1;

test("content outside the session is shown in its current form, once, also after a restart [controller.outside]", async (t) => {
  const weather = weatherSurface();
  const script = () => ({ text: "Noted." });
  const stage = await openStage(t, { script, surfaces: ["notepad", weather] });
  await stage.say("How is it?");
  await stage.say("And now?");
  weather.now = "fog";
  await stage.say("And now?");
  await stage.say("Still?");
  const bodies = stage.turns().map(({ messages }) => JSON.stringify(messages));
  assert.deepEqual(
    bodies.map((body) => [count(body, "[Weather: sun]"), count(body, "[Weather: fog]")]),
    [
      [1, 0],
      [1, 0],
      [1, 1],
      [1, 1],
    ],
  );
  weather.now = "hail";
  await stage.another().send("s", "And now?").result;
  const last = JSON.stringify(stage.turns().at(-1)?.messages);
  assert.ok(last.indexOf("[Weather: hail]") > last.indexOf("[Weather: fog]"));
});

for (const placement of ["system", "message"] as const)
  test(`placement ${placement}: only the current text is in the prompt [controller.outside]`, async (t) => {
    const weather = weatherSurface();
    const stage = await openStage(t, {
      script: () => ({ text: "Noted." }),
      surfaces: ["notepad", weather],
      placement,
    });
    await stage.say("How is it?");
    weather.now = "fog";
    await stage.say("And now?");
    const last = JSON.stringify(stage.turns().at(-1)?.messages);
    assert.deepEqual([count(last, "[Weather: sun]"), count(last, "[Weather: fog]")], [0, 1]);
  });

test("tools that come and go are offered while they exist and run like any other [controller.extra-tools]", async (t) => {
  const weather = weatherSurface();
  const call = { name: "forecast", input: { place: "Ghent" } };
  const script = inOrder([{ text: "No." }, { toolCalls: [call] }, { text: "Rain." }, { text: "Gone." }]);
  const stage = await openStage(t, { script, surfaces: ["notepad", weather] });
  await stage.say("Can you tell?");
  weather.made = [forecast];
  const { text } = await stage.say("And now?");
  assert.equal(text, "Rain.");
  weather.made = [];
  await stage.say("Still?");
  const offered = stage.turns().map(({ tools = [] }) => JSON.stringify(tools).includes("forecast"));
  assert.deepEqual(offered, [false, true, true, false]);
  assert.match(JSON.stringify(stage.turns()[2]?.messages), /rain in Ghent/);
});
