import { openChosenMemory, readArguments } from "./arguments.ts";

export async function run(args: string[]): Promise<number> {
  const { values } = readArguments(args, { all: { type: "boolean", default: false } });
  const memory = await openChosenMemory(values);
  try {
    const sessions = await memory.listSessions({ status: values.all ? "all" : "active" });
    if (values.json) console.log(JSON.stringify(sessions, null, 2));
    else if (sessions.length === 0) console.log("No sessions yet.");
    for (const session of values.json ? [] : sessions) {
      const when = new Date(session.updatedAt).toISOString();
      console.log(
        `${session.id}  ${when}  revision ${session.revision}  ${session.notes} notes  ${session.status}  ${session.title ?? ""}`.trimEnd(),
      );
    }
    return 0;
  } finally {
    await memory.close();
  }
}
