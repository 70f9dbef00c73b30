export { type KnowledgeOptions, knowledgeSurface } from "./tools.ts";
export type { SkillSource, SkillSummary } from "./skill-format.ts";
export { defaultSkillFolders, skillFolders } from "./skill-folders.ts";
