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
export { type ContractCase, type StoreHarness, storeContract } from "./store-contract.ts";
