export { defaultSkillFolders, skillFolders } from "./skill-folders.ts";
export type { SkillSource, SkillSummary } from "./tools.ts";
export { type KnowledgeOptions, knowledgeSurface } from "./tools.ts";
