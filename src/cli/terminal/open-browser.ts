import { spawn } from "node:child_process";

/** Opens a page in the user's browser, if there is one. */
export function openBrowser(url: string): void {
  const [command, ...args] = browserCommand(url);
  if (command === undefined) return;
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  // Without a browser, the user still has the printed URL.
  child.once("error", () => {});
  child.unref();
}

function browserCommand(url: string): string[] {
  const { CI, DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (CI || !process.stdout.isTTY) return [];
  if (process.platform === "darwin") return ["open", url];
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return DISPLAY || WAYLAND_DISPLAY ? ["xdg-open", url] : [];
}
