import { HoldfastError } from "../../errors.ts";
import { openMemory } from "../../index.ts";
import type { PriceTable } from "../../replay/prices.ts";
import { readRecording } from "../../replay/read-transcript.ts";
import { measureSurvival } from "../../replay/survival.ts";
import { type MeasuredSession, totalOf } from "../../replay/survival-total.ts";
import { findRecordings, openRecordings, type RecordedFile } from "../find-recordings.ts";
import { startProgress } from "../terminal/progress.ts";
import { renderSurvival } from "../terminal/render-survival.ts";
import { printLines, screenOf } from "../terminal/screen.ts";

export interface SurvivalArguments {
  /** Files; none: those that the hosts keep on this machine. */
  files: readonly string[];
  json: boolean;
  contextWindow?: number | undefined;
  prices?: PriceTable | undefined;
}

/** Prints what compactions kept of what was used later, and what Holdfast would have kept. */
export async function runSurvival({ files, json, ...options }: SurvivalArguments): Promise<number> {
  const found = files.length > 0 ? await openRecordings(files) : await findRecordings();
  if (found.length === 0)
    throw new HoldfastError(
      "not_found",
      "No recorded session was found on this machine. Pass a transcript: holdfast replay --survival FILE…",
    );
  const { sessions, failed } = await measureAll(found, options, files.length > 0);
  if (json) console.log(JSON.stringify({ sessions, total: totalOf(sessions) }, null, 2));
  else printLines(renderSurvival(sessions, totalOf(sessions), screenOf()));
  return failed === 0 ? 0 : 1;
}

async function measureAll(
  files: readonly RecordedFile[],
  options: Pick<SurvivalArguments, "contextWindow" | "prices">,
  mustRead: boolean,
): Promise<{ sessions: MeasuredSession[]; failed: number }> {
  const memory = await openMemory({ store: "memory:" });
  const state = await (await memory.createSession()).state();
  const progress = startProgress(
    "Reading sessions",
    files.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  const sessions: MeasuredSession[] = [];
  let failed = 0;
  let done = 0;
  for (const { path: file, bytes, sessions: read } of files) {
    try {
      for (const { name, text } of read()) {
        const transcript = await readRecording(text);
        sessions.push({
          file,
          name,
          host: transcript.format,
          ...measureSurvival(transcript, { state, ...options }),
        });
      }
    } catch (error) {
      // A folder of sessions may have files that are none.
      if (mustRead) {
        failed++;
        console.error(`holdfast: ${file}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    done += bytes;
    progress.at(done);
  }
  progress.end();
  await memory.close();
  return { sessions, failed };
}
