import { hrefTo, tabs, weekHref } from "../route.ts";
import { nextTheme } from "../theme.ts";

/** Something to go to, or to do. */
export interface Choice {
  key: string;
  kind: string;
  text: string;
  hint: string;
  href?: string;
  run?: () => void;
}

const titles: Record<(typeof tabs)[number], string> = {
  memory: "Show the memory",
  context: "Show the context window by call",
  compaction: "Show what survived a compaction",
  conversation: "Show the conversation",
  timeline: "Show the timeline",
};

/** Actions, in the session that is shown. */
export function actionsFor(sessionId: string | undefined): Choice[] {
  const views = sessionId === undefined ? [] : tabs.map((tab) => view(sessionId, tab));
  return [
    ...views,
    ...(sessionId === undefined
      ? []
      : [
          act("Is it still there? Look for a text", () => {
            location.hash = hrefTo(sessionId, "compaction");
            setTimeout(() => document.getElementById("still-there")?.focus(), 200);
          }),
          act("Edit the notepad", () => {
            location.hash = hrefTo(sessionId, "memory");
            setTimeout(() => document.querySelector<HTMLElement>("[data-edit-notepad]")?.click(), 200);
          }),
        ]),
    { key: "week", kind: "view", text: "Show the last seven days", hint: "", href: weekHref },
    act("Search everything", () => document.getElementById("search")?.focus()),
    act("Change the theme", nextTheme),
    act("Copy a link to this view", () => void navigator.clipboard.writeText(location.href)),
  ];
}

function view(sessionId: string, tab: (typeof tabs)[number]): Choice {
  return { key: tab, kind: "view", text: titles[tab], hint: "", href: hrefTo(sessionId, tab) };
}

function act(text: string, run: () => void): Choice {
  return { key: text, kind: "action", text, hint: "", run };
}
