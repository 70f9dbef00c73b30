import { scratchpadOfDocument } from "./config-file.ts";
import { settingGroups, settingNames, settingOf } from "./settings.ts";

type Schema = Record<string, unknown>;

/** The JSON Schema of `holdfast.json`: each setting by its dotted name, nested in its group, and by its older name. */
export function configSchema(): Schema {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Holdfast",
    description: "Settings of Holdfast, in holdfast.json or the user's config file.",
    ...settingsSchema({ $schema: { type: "string", description: "The schema of this file." } }),
  };
}

/**
 * The same for a host that keeps our settings in its own config. Without defaults: a host may fill them in, and then
 * every setting would count as set there.
 */
export function hostConfigSchema(): Schema {
  return JSON.parse(
    JSON.stringify(settingsSchema({}), (key, value) => (key === "default" ? undefined : value)),
  );
}

function settingsSchema(more: Record<string, Schema>): Schema {
  const properties: Record<string, Schema> = { ...more };
  for (const name of settingNames) properties[name] = schemaOfSetting(name);
  for (const group of settingGroups) properties[group] = schemaOfGroup(group);
  for (const name of settingNames) {
    const { alias, kind } = settingOf(name);
    if (alias !== undefined && !alias.includes("."))
      properties[alias] = { ...kind.schema, description: `The same as ${name}.` };
  }
  const [outermost = "", ...inner] = scratchpadOfDocument.split(".");
  properties[outermost] = inner.reduceRight<Schema>(
    (schema, name) => ({ type: "object", properties: { [name]: schema }, additionalProperties: false }),
    schemaOfGroup("scratchpad"),
  );
  return { type: "object", properties, additionalProperties: false };
}

function schemaOfSetting(name: (typeof settingNames)[number]): Schema {
  const { kind, description, default: fallback } = settingOf(name);
  return { ...kind.schema, description, ...(fallback === undefined ? {} : { default: fallback }) };
}

function schemaOfGroup(group: string): Schema {
  const own = settingNames.filter((name) => name.startsWith(`${group}.`));
  const nested = own.map((name) => [name.slice(group.length + 1), schemaOfSetting(name)]);
  // An older name in another group, such as `limits.scratchpadTokens`.
  const older = settingNames.flatMap((name) => {
    const { alias = "", kind } = settingOf(name);
    const entry = { ...kind.schema, description: `The same as ${name}.` };
    return alias.startsWith(`${group}.`) ? [[alias.slice(group.length + 1), entry] as const] : [];
  });
  const object = { properties: Object.fromEntries([...nested, ...older]), additionalProperties: false };
  // `"clearing": false` turns a whole group off.
  return {
    type: own.some((name) => name === `${group}.enabled`) ? ["object", "boolean"] : "object",
    ...object,
  };
}
