export { type ContractCase, type StoreHarness, storeContract } from "./store-contract.ts";
