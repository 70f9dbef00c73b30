import type {
  Body,
  EditConflict,
  ErrorReply,
  Params,
  Query,
  Reply,
  RouteName,
  Routes,
} from "../../src/server/api.ts";

export type { Body, EditConflict, Reply };

/** Typed by the server's route table: a path that the server does not have does not compile. */
const addresses: { [Name in RouteName]: `${Routes[Name]["method"]} ${Routes[Name]["path"]}` } = {
  health: "GET /api/health",
  listSessions: "GET /api/sessions",
  week: "GET /api/week",
  search: "GET /api/search",
  setStatus: "PUT /api/sessions/{id}/status",
  session: "GET /api/sessions/{id}",
  notes: "GET /api/sessions/{id}/notes",
  edit: "POST /api/sessions/{id}/edits",
  history: "GET /api/sessions/{id}/history",
  compaction: "GET /api/sessions/{id}/compactions/{epoch}",
  messages: "GET /api/sessions/{id}/messages",
  calls: "GET /api/sessions/{id}/calls",
  call: "GET /api/sessions/{id}/calls/{number}",
  where: "GET /api/sessions/{id}/where",
  project: "GET /api/project",
};

export type ApiRequest<Name extends RouteName> = (Params<Name> extends undefined
  ? { params?: undefined }
  : { params: Params<Name> }) &
  (Query<Name> extends undefined ? { query?: undefined } : { query?: Partial<Query<Name>> }) &
  (Body<Name> extends undefined ? { body?: undefined } : { body: Body<Name> });

/** An error response, or an unreachable server. */
export class ApiError extends Error {
  readonly status: number;
  readonly conflict: EditConflict["conflict"] | undefined;

  constructor(status: number, message: string, conflict?: EditConflict["conflict"]) {
    super(message);
    this.status = status;
    this.conflict = conflict;
  }
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(0, (error as Error).message);
}

export async function callApi<Name extends RouteName>(
  name: Name,
  request: ApiRequest<Name>,
  signal?: AbortSignal,
): Promise<Reply<Name>> {
  const [method = "GET", path = "/"] = addresses[name].split(" ");
  const { params, query, body } = request as Record<
    "params" | "query",
    Record<string, unknown> | undefined
  > & { body?: unknown };
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(String(params?.[key])),
  );
  const response = await send(`${filledPath}${searchOf(query)}`, {
    method,
    ...(signal ? { signal } : {}),
    ...(body === undefined
      ? {}
      : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  if (response.ok) return (await response.json()) as Reply<Name>;
  throw await toApiError(response);
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    // Relative: the page and its cookie are under a path of their own.
    return await fetch(url.slice(1), init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    const outcome = init.method === "GET" ? "Try again." : "Nothing was saved. Try again.";
    throw new ApiError(0, `Cannot reach the server. ${outcome}`);
  }
}

async function toApiError(response: Response): Promise<ApiError> {
  const reply = (await response.json().catch(() => undefined)) as
    | (ErrorReply & Partial<Pick<EditConflict, "conflict">>)
    | undefined;
  const message = reply?.error.message ?? `The server responded with status ${response.status}.`;
  return new ApiError(response.status, message, reply?.conflict);
}

function searchOf(query: Record<string, unknown> | undefined): string {
  const pairs = Object.entries(query ?? {}).flatMap(([key, value]) =>
    value === undefined ? [] : [value].flat().map((each): [string, string] => [key, String(each)]),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}
