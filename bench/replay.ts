import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readTranscript } from "../src/replay/read-transcript.ts";
import { replay } from "../src/replay/replay.ts";
import type { Figure } from "./measure.ts";

/** What memory would have cost on recorded sessions, against no memory. The sessions are not part of the repository. */
export async function replayFigures(): Promise<Figure[]> {
  const folder = process.env.HOLDFAST_TRANSCRIPTS;
  if (!folder) {
    console.log("skipped: HOLDFAST_TRANSCRIPTS names no folder with recorded sessions (*.jsonl)");
    return [];
  }
  const figures: Figure[] = [];
  for (const file of globSync("**/*.jsonl", { cwd: folder }).sort())
    figures.push(await figureOf(file, readFileSync(join(folder, file), "utf8")));
  return figures;
}

async function figureOf(file: string, text: string): Promise<Figure> {
  const { rows, epoch, memory } = replay(await readTranscript(text));
  const find = (placement: string) => rows.find((row) => row.placement === placement && !row.clearing);
  const bare = find("none")?.cost ?? Number.NaN;
  const share = (cost: number) => `${((100 * cost) / bare).toFixed(2)} %`;
  const parts = [
    `${memory.notepadTokens} tokens read ${share(epoch.read.cost)}`,
    `written ${share(epoch.written.cost)}`,
    `changes ${share(epoch.changes)}`,
  ];
  return {
    name: `replay of ${file}: epoch / no memory`,
    value: (find("epoch")?.cost ?? Number.NaN) / bare,
    target: 1.01,
    limit: "max",
    unit: "×",
    detail: `${((find("epoch")?.cost ?? Number.NaN) / bare).toFixed(4)}: ${parts.join(", ")}`,
  };
}
