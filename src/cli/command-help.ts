import { hostNames, hosts } from "../hosts/hosts.ts";
import type { Command, HelpText, HostWords } from "./main.ts";

const withSessionFile = hosts.filter(({ sessionFile }) => sessionFile);

const hostWords: HostWords = {
  all: hostNames.join(", "),
  sessionFormats: withSessionFile.map(({ name }) => name),
  withSessionFile: withSessionFile.map(({ title }) => title).join(" or "),
};

/** The formats that `export` writes. */
export const exportFormats: readonly string[] = ["json", ...hostWords.sessionFormats];

/** A command's help, with the names of the hosts filled in. */
export function commandHelp({ usage, summary, options = "" }: Command): {
  usage: string;
  summary: string;
  options: string;
} {
  return { usage: filled(usage), summary: filled(summary), options: filled(options) };
}

function filled(text: HelpText): string {
  return typeof text === "string" ? text : text(hostWords);
}
