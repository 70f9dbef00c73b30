export { defaultSkillFolders, skillFolders } from "./skill-folders.ts";
export type { SkillSource, SkillSummary } from "./skill-format.ts";
export { type KnowledgeOptions, knowledgeSurface } from "./tools.ts";
