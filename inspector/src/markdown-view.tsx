import { type ComponentChildren, h } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Block, type Item, parseInline, parseMarkdown } from "./markdown.ts";

/** The actions that a text offers beyond reading. */
export interface MarkdownOptions {
  /** Toggles the checkbox on this line, from 0; without it, boxes are only shown. */
  toggleTask?: ((line: number) => void) | undefined;
  /** The number of the first line. */
  from?: number;
  /** Asks where the agent has a line. */
  askForLine?: ((line: string) => void) | undefined;
  /** Who wrote the lines that the agent did not write, without their bullets. */
  authors?: ReadonlyMap<string, string>;
  /** Lines that just appeared, without their bullets. */
  fresh?: ReadonlySet<string>;
  /** A text to highlight. */
  find?: string;
}

/** The state that the blocks of one text share. */
interface Rendering extends MarkdownOptions {
  levels: ReadonlyMap<Block, number>;
}

/** Renders Markdown as elements. Text never becomes markup: unknown syntax stays as written. */
export function Markdown({ text, ...options }: { text: string } & MarkdownOptions) {
  const { find = "", from = 0 } = options;
  const blocks = useMemo(() => parseMarkdown(text, from), [text, from]);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (find !== "") showFound(box.current, find);
  }, [find, text]);
  return (
    <div class="prose" dir="auto" ref={box}>
      <Blocks blocks={blocks} rendering={{ ...options, levels: levelsOf(blocks) }} />
    </div>
  );
}

/** Scrolls to the innermost element with the text and marks it. */
function showFound(box: HTMLElement | null, find: string): void {
  const wanted = plain(find);
  const found = [...(box?.querySelectorAll<HTMLElement>("li, p, h3, h4, h5, h6, pre, td") ?? [])].findLast(
    (element) => plain(element.textContent ?? "").includes(wanted),
  );
  for (const old of box?.querySelectorAll(".is-found") ?? []) old.classList.remove("is-found");
  found?.classList.add("is-found");
  found?.scrollIntoView({ block: "center" });
}

function plain(text: string): string {
  return text
    .replaceAll(/[*_`#>]|^[ \t]*(?:[-+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .toLowerCase();
}

function Blocks({ blocks, rendering }: { blocks: readonly Block[]; rendering: Rendering }) {
  return blocks.map((block, index) => (
    <BlockView key={index} block={block} rendering={rendering} />
  )) as unknown as ComponentChildren & object;
}

function BlockView({ block, rendering }: { block: Block; rendering: Rendering }) {
  switch (block.type) {
    case "heading":
      // A heading in a quote or a list is not one of the page.
      return h(
        rendering.levels.has(block) ? `h${rendering.levels.get(block)}` : "p",
        {
          dir: "auto",
          class: classOf(block.text, rendering),
          title: authorOf(block.text, rendering),
        },
        <Spans text={block.text} />,
      );
    case "paragraph":
      return (
        <p dir="auto" class={classOf(block.text, rendering)} title={authorOf(block.text, rendering)}>
          <Spans text={block.text} />
          {rendering.askForLine && !block.text.includes("\n") && (
            <button
              type="button"
              class="line-life"
              onClick={() => rendering.askForLine?.(block.text)}
              tabIndex={-1}
              aria-label="Where is this line?"
              title="Where is this line?"
            >
              ⋯
            </button>
          )}
        </p>
      );
    case "code":
      return (
        <pre class="code" dir="ltr">
          <code>{block.text}</code>
        </pre>
      );
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} rendering={rendering} />
        </blockquote>
      );
    case "list":
      return block.ordered ? (
        <ol start={block.start}>
          <Items items={block.items} rendering={rendering} />
        </ol>
      ) : (
        <ul>
          <Items items={block.items} rendering={rendering} />
        </ul>
      );
    case "table":
      return <Table head={block.head} rows={block.rows} />;
    case "rule":
      return <hr />;
  }
}

/** The level of each heading on the page: below the page's own, and never two levels deeper than the one before. */
function levelsOf(blocks: readonly Block[]): Map<Block, number> {
  const levels = new Map<Block, number>();
  const open: number[] = [];
  for (const block of blocks) {
    if (block.type !== "heading") continue;
    while (open.length > 0 && (open.at(-1) ?? 0) >= block.level) open.pop();
    open.push(block.level);
    levels.set(block, Math.min(6, 2 + open.length));
  }
  return levels;
}

function authorOf(text: string, { authors }: Rendering): string | undefined {
  const by = text
    .split("\n")
    .map((line) => authors?.get(line.trim()))
    .find((each) => each !== undefined);
  return by === undefined ? undefined : `Written by ${by}`;
}

function classOf(text: string, rendering: Rendering): string | undefined {
  const classes = [
    ...(isFresh(text, rendering) ? ["is-fresh"] : []),
    ...(authorOf(text, rendering) === undefined ? [] : ["is-foreign"]),
  ];
  return classes.length === 0 ? undefined : classes.join(" ");
}

function isFresh(text: string, { fresh }: Rendering): boolean {
  return fresh !== undefined && fresh.size > 0 && text.split("\n").some((line) => fresh.has(line.trim()));
}

function Items({ items, rendering }: { items: readonly Item[]; rendering: Rendering }) {
  return (
    <>
      {items.map(({ done, line, blocks }) => (
        <li key={line} class={done === undefined ? undefined : done ? "task task-done" : "task"}>
          {done !== undefined && <TaskBox done={done} line={line} toggle={rendering.toggleTask} />}
          <Blocks blocks={blocks} rendering={rendering} />
        </li>
      ))}
    </>
  );
}

/** A real checkbox where it can be toggled; elsewhere a sign that does not look like one. */
function TaskBox({
  done,
  line,
  toggle,
}: {
  done: boolean;
  line: number;
  toggle: MarkdownOptions["toggleTask"];
}) {
  if (!toggle)
    return (
      <span class="task-sign" role="img" aria-label={done ? "done" : "open"}>
        {done ? "✓" : "○"}
      </span>
    );
  return (
    <input
      class="task-box"
      type="checkbox"
      checked={done}
      aria-label={done ? "Done; mark as open" : "Open; mark as done"}
      onClick={(event) => {
        event.preventDefault();
        toggle(line);
      }}
    />
  );
}

function Table({ head, rows }: { head: readonly string[]; rows: readonly string[][] }) {
  // A row may have more cells than the head; show all of them.
  const columns = Array.from(
    { length: Math.max(head.length, ...rows.map((row) => row.length)) },
    (_, column) => column,
  );
  return (
    <div class="table-scroll">
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                <Spans text={head[column] ?? ""} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column}>
                  <Spans text={row[column] ?? ""} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Spans({ text }: { text: string }) {
  return (
    <>
      {parseInline(text).map((span, index) => {
        switch (span.type) {
          case "code":
            return <code key={index}>{span.text}</code>;
          case "strong":
            return <strong key={index}>{span.text}</strong>;
          case "emphasis":
            return <em key={index}>{span.text}</em>;
          case "deleted":
            return <del key={index}>{span.text}</del>;
          case "link":
            return (
              <a key={index} href={span.href} target="_blank" rel="noreferrer noopener">
                {span.text}
              </a>
            );
          default:
            return span.text;
        }
      })}
    </>
  );
}
