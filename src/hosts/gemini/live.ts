import type { LiveClient } from "../host-setup.ts";
import { valueAt } from "../install/json-text.ts";
import type { Places } from "../install/places.ts";
import { settingsOf } from "./files.ts";

export const geminiClient: LiveClient = {
  obstacle: (places) =>
    signsInWithGoogle(places)
      ? "Gemini CLI signs in with Google here, so it would not use a model on this machine."
      : undefined,
  // With a base URL alone Gemini CLI asks for a gateway that it does not know; Vertex reads URL and key from the environment.
  env: ({ url }) => ({
    GOOGLE_GENAI_USE_VERTEXAI: "true",
    GOOGLE_API_KEY: "doctor",
    GOOGLE_VERTEX_BASE_URL: url,
    GEMINI_API_KEY: "doctor",
    GOOGLE_GEMINI_BASE_URL: url,
  }),
  first: ({ prompt }) => ["-p", prompt],
  again: ({ prompt }) => ["--resume", "latest", "-p", prompt],
};

/** A login takes precedence over the environment, so the request would leave this machine. */
function signsInWithGoogle(places: Places): boolean {
  const chosen = settingsOf(places).map((value) => valueAt(value, ["security", "auth", "selectedType"]));
  return chosen.some((type) => type !== undefined && type !== "gemini-api-key" && type !== "vertex-ai");
}
