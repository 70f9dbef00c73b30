export type { ContractCase, StoreHarness } from "./contract-case.ts";
export {
  type DriverCase,
  type DriverHarness,
  type DriverRun,
  type DriverStory,
  driverContract,
  driverStory,
} from "./driver-contract.ts";
export {
  type ScriptedAnswer,
  type ScriptedRequest,
  type ScriptedServer,
  startScriptedServer,
} from "./scripted-server.ts";
export { storeContract } from "./store-contract.ts";
