import { join } from "node:path";
import { installClient } from "../test-support/clients.ts";
import { opencodeFamilyClient } from "../test-support/opencode-family.ts";
import { testClient } from "../test-support/scenarios.ts";

const spec = "@kilocode/cli@7.7.7";

testClient(
  opencodeFamilyClient({
    host: "kilo",
    spec,
    program: () => join(installClient(spec), "node_modules/@kilocode/cli-linux-x64/bin/kilo"),
    config: ".config/kilo/kilo.json",
    folder: ".kilo",
    pluginTypes: "@kilocode/plugin",
    env: {
      KILO_DISABLE_AUTOUPDATE: "1",
      KILO_DISABLE_CODEBASE_INDEXING: "1",
      KILO_DISABLE_MODELS_FETCH: "1",
      KILO_DISABLE_SESSION_INGEST: "1",
      KILO_TELEMETRY_LEVEL: "off",
    },
  }),
);
