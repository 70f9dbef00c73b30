import { openMemory } from "holdfast";
import { projectSurface } from "holdfast/project";

const surfaces = [projectSurface({ root: process.cwd() })];
const memory = await openMemory({ store: "memory.db", surfaces });
const session = await memory.openSession("audit");
console.log((await session.context()).system, memory.tools());
