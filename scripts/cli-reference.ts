import { type CommandName, commands, groups } from "../src/cli/commands.ts";
import { commandHelp } from "../src/cli/help.ts";

/** The reference of the command line in Markdown, made from the help of each command. */
export function cliReference(): string {
  return Object.entries(groups)
    .map(([title, names]) => `### ${title}\n\n${names.map(commandSection).join("\n")}`)
    .join("\n");
}

function commandSection(name: CommandName): string {
  const [usage = "", about = "", ...parts] = commandHelp(name);
  const rows = parts.flatMap((part) => (typeof part === "string" || part.title ? [] : part.rows));
  const own = rows.filter(([term, text]) => !term.startsWith("--store STORE") && text !== "print JSON");
  const lines = own.map(([term, text]) => `- \`${term}\`: ${markdown(text)}`);
  const examples = commands[name].examples.map(([line, what]) => `holdfast ${line}  # ${what}`);
  return [
    `#### holdfast ${name}`,
    markdown(String(about)),
    ["```text", String(usage).replace("Usage: ", ""), "```"].join("\n"),
    ...(lines.length > 0 ? [lines.join("\n")] : []),
    ["```sh", ...examples, "```", ""].join("\n"),
  ].join("\n\n");
}

function markdown(text: string): string {
  return text.replaceAll(/[*_<]/g, "\\$&");
}
