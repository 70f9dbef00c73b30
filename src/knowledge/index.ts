export { type KnowledgeOptions, knowledgeSurface } from "../tools/knowledge.ts";
export type { SkillSource, SkillSummary } from "../tools/skill-format.ts";
export { defaultSkillFolders, skillFolders } from "./skill-folders.ts";
