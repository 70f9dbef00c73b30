import { type ComponentChildren, h } from "preact";
import { useMemo } from "preact/hooks";
import { type Block, type Item, parseInline, parseMarkdown } from "./markdown.ts";

/** Renders Markdown as elements. Text never becomes markup: unknown syntax stays as written. */
export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return (
    <div class="prose" dir="auto">
      <Blocks blocks={blocks} />
    </div>
  );
}

function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return blocks.map((block, index) => (
    <BlockView key={index} block={block} />
  )) as unknown as ComponentChildren & object;
}

function BlockView({ block }: { block: Block }) {
  switch (block.type) {
    case "heading":
      // Below the page's own headings.
      return h(`h${Math.min(6, block.level + 2)}`, { dir: "auto" }, <Spans text={block.text} />);
    case "paragraph":
      return (
        <p dir="auto">
          <Spans text={block.text} />
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
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case "list":
      return block.ordered ? (
        <ol start={block.start}>
          <Items items={block.items} />
        </ol>
      ) : (
        <ul>
          <Items items={block.items} />
        </ul>
      );
    case "table":
      return <Table head={block.head} rows={block.rows} />;
    case "rule":
      return <hr />;
  }
}

function Items({ items }: { items: readonly Item[] }) {
  return (
    <>
      {items.map(({ done, blocks }, index) => (
        <li key={index} class={done === undefined ? undefined : done ? "task task-done" : "task"}>
          {done !== undefined && (
            <span class="task-box" role="img" aria-label={done ? "done" : "open"}>
              {done ? "✓" : ""}
            </span>
          )}
          <Blocks blocks={blocks} />
        </li>
      ))}
    </>
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
