import { join } from "node:path";
import { installClient } from "../test-support/clients.ts";
import { opencodeFamilyClient } from "../test-support/opencode-family.ts";
import { testClient } from "../test-support/scenarios.ts";

const spec = "opencode-ai@1.18.33";

testClient(
  opencodeFamilyClient({
    host: "opencode",
    spec,
    program: () => join(installClient(spec), "node_modules/opencode-ai/bin/opencode.exe"),
    config: ".config/opencode/opencode.json",
    folder: ".opencode",
    pluginTypes: "@opencode-ai/plugin",
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
  }),
);
