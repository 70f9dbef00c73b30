import { useState } from "preact/hooks";
import { callApi, type Reply } from "../api.ts";
import { count, dollars, plural } from "../format.ts";
import { partNames } from "../parts.ts";
import { attempt } from "../toast.tsx";
import { readablePiece } from "./readable-piece.ts";

type Detail = Reply<"call">;
type Piece = Detail["pieces"][number];

const changeLabels: Record<Piece["change"], string> = { same: "", added: "new", moved: "moved" };

/** The pieces of the prompt, in prompt order. */
export function Pieces({
  sessionId,
  detail,
  only,
  isExact,
}: {
  sessionId: string;
  detail: Detail;
  only: "all" | "changed";
  isExact: boolean;
}) {
  const { pieces, prefix, removed, against } = detail;
  const shown = only === "all" ? pieces : pieces.filter(({ change }) => change !== "same");
  return (
    <>
      {removed.length > 0 && (
        <details class="removed">
          <summary>
            {plural(removed.length, "piece")} of call {against} {removed.length === 1 ? "is" : "are"} gone
            <span class="faint">
              {" "}
              about {count(removed.reduce((sum, { tokens }) => sum + tokens, 0))} tokens
            </span>
          </summary>
          {removed.map(({ hash, part, role, text, tokens, cut }) => (
            <PieceView
              key={hash}
              sessionId={sessionId}
              piece={{ hash, part, role, text, tokens, cut }}
              sign="gone"
              isExact={isExact}
            />
          ))}
        </details>
      )}
      {shown.length === 0 && <p class="panel-empty">No changes since call {against}.</p>}
      <ol class="pieces">
        {shown.map((piece) => (
          <li key={`${piece.index} ${piece.hash}`}>
            <PieceView
              sessionId={sessionId}
              piece={piece}
              sign={changeLabels[piece.change]}
              isExact={isExact}
            />
            {piece.index === prefix.pieces - 1 && only === "all" && (
              <p class="cache-line">
                <span>
                  Same as call {against} up to here: about {count(prefix.tokens)} tokens that a cache can
                  serve
                  {prefix.money &&
                    `, for ${dollars(prefix.money.cached)} instead of ${dollars(prefix.money.fresh)}`}
                </span>
              </p>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

interface Shown extends Pick<Piece, "hash" | "part" | "role" | "text" | "cut"> {
  tokens?: number;
  cached?: boolean;
}

function PieceView({
  sessionId,
  piece,
  sign,
  isExact,
}: {
  sessionId: string;
  piece: Shown;
  sign: string;
  isExact: boolean;
}) {
  const [whole, setWhole] = useState<string>();
  const [isOpen, setOpen] = useState(false);
  const text = whole ?? piece.text;
  const { title, body } = readablePiece(text, piece.role);
  return (
    <details
      class={`piece piece-${piece.part}${piece.cached ? " is-cached" : ""}${sign === "gone" ? " is-gone" : ""}`}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span class={`swatch part-${piece.part}`} aria-hidden="true" />
        <span class="piece-part">{partNames[piece.part]}</span>
        <span class="piece-title" dir="auto">
          {title}
        </span>
        {sign !== "" && <span class={`badge badge-${sign}`}>{sign}</span>}
        {piece.tokens !== undefined && <span class="number faint">{count(piece.tokens)}</span>}
      </summary>
      {isOpen && (
        <>
          <pre class="source" dir="auto">
            {isExact ? text : body}
          </pre>
          {piece.cut && whole === undefined && (
            <button
              type="button"
              class="button button-small"
              onClick={() =>
                attempt(async () => {
                  const reply = await callApi("piece", { params: { id: sessionId, hash: piece.hash } });
                  setWhole(reply.text);
                })
              }
            >
              Show the whole piece
            </button>
          )}
        </>
      )}
    </details>
  );
}
