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

export type { EditConflict, Reply };

/** Typed by the server's route table: a path that the server does not have does not compile. */
const addresses: { [Name in RouteName]: `${Routes[Name]["method"]} ${Routes[Name]["path"]}` } = {
  health: "GET /api/health",
  listSessions: "GET /api/sessions",
  search: "GET /api/search",
  setStatus: "PUT /api/sessions/{id}/status",
  memory: "GET /api/sessions/{id}/memory",
  editText: "PUT /api/sessions/{id}/texts/{text}",
  editRefs: "POST /api/sessions/{id}/refs",
  notes: "GET /api/sessions/{id}/notes",
  tags: "GET /api/sessions/{id}/tags",
  addNote: "POST /api/sessions/{id}/notes",
  editNote: "PUT /api/sessions/{id}/notes/{note}",
  deleteNote: "DELETE /api/sessions/{id}/notes/{note}",
  pins: "GET /api/sessions/{id}/pins",
  pin: "POST /api/sessions/{id}/pins",
  unpin: "DELETE /api/sessions/{id}/pins/{pin}",
  journal: "GET /api/sessions/{id}/journal",
  entry: "GET /api/sessions/{id}/journal/{revision}",
  memoryAt: "GET /api/sessions/{id}/at/{revision}",
  undo: "POST /api/sessions/{id}/undo",
  messages: "GET /api/sessions/{id}/messages",
  message: "GET /api/sessions/{id}/messages/{number}",
  compactions: "GET /api/sessions/{id}/compactions",
  compaction: "GET /api/sessions/{id}/compactions/{epoch}",
  removedMessages: "GET /api/sessions/{id}/compactions/{epoch}/messages",
  calls: "GET /api/sessions/{id}/calls",
  call: "GET /api/sessions/{id}/calls/{number}",
  piece: "GET /api/sessions/{id}/pieces/{hash}",
  window: "GET /api/sessions/{id}/window",
  whereabouts: "GET /api/sessions/{id}/whereabouts",
  attention: "GET /api/sessions/{id}/attention",
  stats: "GET /api/stats",
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
  readonly code: string;
  readonly conflict: EditConflict["conflict"] | undefined;

  constructor(status: number, code: string, message: string, conflict?: EditConflict["conflict"]) {
    super(message);
    this.status = status;
    this.code = code;
    this.conflict = conflict;
  }
}

export function isMissing(error: ApiError | undefined): boolean {
  return error?.status === 404;
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
  > & {
    body?: unknown;
  };
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
    const isWrite = init.method !== undefined && init.method !== "GET";
    const outcome = isWrite ? "Nothing was saved; try again." : "Try again.";
    throw new ApiError(0, "unreachable", `Cannot reach the server. ${outcome}`);
  }
}

async function toApiError(response: Response): Promise<ApiError> {
  const reply = (await response.json().catch(() => undefined)) as
    | (ErrorReply & Partial<Pick<EditConflict, "conflict">>)
    | undefined;
  const { code = "failed", message = `The server responded with status ${response.status}.` } =
    reply?.error ?? {};
  return new ApiError(response.status, code, message, reply?.conflict);
}

function searchOf(query: Record<string, unknown> | undefined): string {
  const pairs = Object.entries(query ?? {}).flatMap(([key, value]) =>
    value === undefined ? [] : [value].flat().map((each): [string, string] => [key, String(each)]),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}
