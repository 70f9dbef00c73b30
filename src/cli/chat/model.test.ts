import assert from "node:assert/strict";
import { test } from "node:test";
import { APICallError, LoadAPIKeyError } from "ai";
import { HoldfastError } from "../../errors.ts";
import { chooseModel, describeFailure } from "./model.ts";

test("local servers need only a name, which may have colons [chat.models]", async () => {
  assert.equal(
    (await chooseModel({ model: "ollama:llama3.2:3b" })).label,
    "llama3.2:3b at http://127.0.0.1:11434/v1",
  );
  assert.equal((await chooseModel({ model: "lmstudio:qwen" })).label, "qwen at http://127.0.0.1:1234/v1");
});

test("a base URL takes the name as it is, which may have colons [chat.models]", async () => {
  const baseUrl = "http://127.0.0.1:8000/v1/";
  for (const model of ["llama3.2:3b", "openai/gpt", "plain"])
    assert.equal((await chooseModel({ model, baseUrl })).label, `${model} at http://127.0.0.1:8000/v1`);
  const earlier = await chooseModel({ model: "openai-compatible:plain", baseUrl });
  assert.equal(earlier.label, "plain at http://127.0.0.1:8000/v1");
});

test("an invalid model is rejected with the valid forms [chat.models]", async () => {
  for (const model of [undefined, "", "gpt", "ollama:", ":x", "nobody:x", "toString:x"]) {
    await assert.rejects(
      chooseModel({ model }),
      /ollama:NAME.*anthropic:NAME.*--base-url URL/,
      String(model),
    );
  }
  await assert.rejects(
    chooseModel({ model: "x", baseUrl: "localhost:1" }),
    /is not an HTTP URL\. Give --base-url as http:/,
  );
  await assert.rejects(chooseModel({ baseUrl: "http://h/v1" }), /has no name/);
});

test("a missing package is reported with the command that installs it [chat.models]", async () => {
  for (const provider of ["anthropic", "openai", "google"]) {
    const missing = () => Promise.reject(new Error("ERR_MODULE_NOT_FOUND"));
    await assert.rejects(chooseModel({ model: `${provider}:x` }, missing), (error: unknown) => {
      assert.ok(error instanceof HoldfastError);
      assert.equal(error.code, "missing_dependency");
      assert.ok(error.message.endsWith(`Run: npm install @ai-sdk/${provider}`), error.message);
      return true;
    });
    const loaded = await chooseModel({ model: `${provider}:x` }, async (name) => ({
      [provider]: (id: string) => `${name} ${id}`,
    }));
    assert.equal(loaded.model, `@ai-sdk/${provider} x`);
  }
});

test("a failed call is reported with the next step [chat.models]", () => {
  const failed = (statusCode: number, message: string) =>
    describeFailure(new APICallError({ message, statusCode, url: "", requestBodyValues: {} }), "m");
  assert.equal(failed(401, "bad key"), "m answered 401: bad key. Check the API key.");
  assert.match(
    failed(404, "model not found."),
    /^m answered 404: model not found\. Check the name in --model/,
  );
  assert.match(failed(503, "busy"), /send it again later/);
  assert.equal(
    describeFailure(
      new LoadAPIKeyError({ message: "Pass it … or the ANTHROPIC_API_KEY environment variable." }),
      "anthropic:x",
    ),
    "There is no API key for anthropic:x. Set ANTHROPIC_API_KEY and start again.",
  );
});
