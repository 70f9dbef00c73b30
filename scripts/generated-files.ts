import { readFileSync } from "node:fs";
import { join } from "node:path";
import { renderSkill } from "../src/hosts/install/skill-piece.ts";
import { defaultSurfaces } from "../src/surfaces/surfaces.ts";
import { configSchema, hostConfigSchema } from "../src/workspace/config-schema.ts";
import { entryPoints, settingGroups, settingNames, settingOf } from "../src/workspace/settings.ts";
import { alignedTable } from "./aligned-table.ts";
import { apiPages } from "./api-reference.ts";
import { cliReference } from "./cli-reference.ts";
import { fromTheDocuments } from "./from-the-documents.ts";

const root = join(import.meta.dirname, "..");

/** The files that follow from the sources, by path. `npm run generate` writes them, a test compares them. */
export async function generatedFiles(): Promise<Record<string, string>> {
  return {
    "holdfast.schema.json": json(configSchema()),
    "openclaw.plugin.json": json(pluginManifest()),
    "docs/configuration.md": withGenerated("docs/configuration.md", "settings", tables()),
    "docs/cli.md": withGenerated("docs/cli.md", "commands", cliReference()),
    "plugins/claude-code/skills/holdfast/SKILL.md": renderSkill(defaultSurfaces.server),
    // Codex ignores the hooks of a folder that is also an Agent Plugins bundle, so the bundle has its own.
    "plugins/agent-plugins/skills/holdfast/SKILL.md": renderSkill(defaultSurfaces.server),
    "docs/surfaces.md": withGenerated("docs/surfaces.md", "default types", defaultTypes()),
    "docs/from-the-documents.md": await fromTheDocuments(),
    ...apiPages(),
  };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function pluginManifest(): Record<string, unknown> {
  return { ...JSON.parse(read("openclaw.plugin.json")), configSchema: hostConfigSchema() };
}

/** A page whose part between two comments is generated; the text around it is written by hand. */
function withGenerated(path: string, name: string, text: string): string {
  const page = read(path);
  const [start, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${path} lacks ${start} or ${end}.`);
  return `${page.slice(0, from)}${start}\n\n${text}\n${page.slice(to)}`;
}

function defaultTypes(): string {
  const places: Record<keyof typeof defaultSurfaces, string> = {
    memory: "`openMemory` alone",
    agent: "`createAgent`, `holdfast chat`",
    adapter: "adapters",
    server: "coding agents",
    plugin: "pi and OpenClaw",
  };
  const rows = Object.entries(places).map(([place, title]) => [
    title,
    defaultSurfaces[place as keyof typeof places].map((name) => `\`${name}\``).join(", "),
  ]);
  return alignedTable([["Place", "Types"], ...rows]);
}

function tables(): string {
  const groups = ["", ...settingGroups];
  return groups.map((group) => `${group === "" ? "" : `### \`${group}\`\n\n`}${table(group)}`).join("\n");
}

function table(group: string): string {
  const own = settingNames.filter((name) => (name.includes(".") ? name.split(".")[0] : "") === group);
  const rows = own.map((name) => {
    const { kind, description, variable, hasFlag, alias, actsIn } = settingOf(name);
    const also = [
      ...(hasFlag ? [`\`--${name}\``] : []),
      ...(variable === undefined ? [] : [`\`HOLDFAST_${variable}\``]),
      ...(alias === undefined ? [] : [`\`${alias}\``]),
    ];
    const acts = actsIn.length === entryPoints.length ? "everywhere" : actsIn.join(", ");
    return [`\`${name}\``, description, kind.expected, defaultOf(name), also.join(", ") || "–", acts];
  });
  return alignedTable([["Setting", "Meaning", "Value", "Default", "Also", "Acts in"], ...rows]);
}

function defaultOf(name: (typeof settingNames)[number]): string {
  const { default: fallback, otherwise } = settingOf(name);
  if (fallback === undefined) return otherwise ?? "–";
  return Array.isArray(fallback) ? "none" : `\`${fallback}\``;
}
