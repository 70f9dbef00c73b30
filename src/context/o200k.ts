// A file of its own, because the table takes two megabytes: the build has it once.
export { clearMergeCache, countTokens } from "gpt-tokenizer/encoding/o200k_base";
