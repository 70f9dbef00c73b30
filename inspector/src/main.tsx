import { render } from "preact";
import { App } from "./app.tsx";
import { followServer } from "./live.ts";

const container = document.getElementById("app");
if (container) {
  // Replace the static shell from index.html, which has the same layout.
  container.replaceChildren();
  render(<App />, container);
  followServer();
}
