export type { ContractCase, StoreHarness } from "./contract-case.ts";
export {
  type ScriptedAnswer,
  type ScriptedRequest,
  type ScriptedServer,
  startScriptedServer,
} from "./scripted-server.ts";
export { storeContract } from "./store-contract.ts";
