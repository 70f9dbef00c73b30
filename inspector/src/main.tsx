import { render } from "preact";
import { App } from "./app.tsx";
import { followServer } from "./follow-server.ts";

const place = document.getElementById("app");
if (place) {
  // The first paint is the document's own shell, of the same shape.
  place.replaceChildren();
  render(<App />, place);
  followServer();
}
