/**
 * An agent in its own process, for tests that kill it. Usage: node agent-process.ts URL DATABASE TEXT [EVENT].
 * With EVENT it kills itself with SIGKILL on the first event of that type.
 */
import { openMemory } from "../../index.ts";
import { sheetReader } from "./sheet-reader.ts";

const [url = "", store = "", text = "", fatal = ""] = process.argv.slice(2);
const die = () => process.kill(process.pid, "SIGKILL");

const memory = await openMemory({ store });
const agent = sheetReader(memory, url, (sheet) => {
  if (fatal === "in-tool" && sheet === 2) die();
});
for await (const event of agent.send("s", text)) if (event.type === fatal) die();
await memory.close();
