import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";

type Handler = Parameters<Server["_wrapHandler"]>[1];

/** The SDK's server, but a malformed request is an invalid-params error instead of an internal one. */
export class ProtocolServer extends Server {
  /** Our handlers throw only `ProtocolError`, so any other error comes from the SDK's request validation. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, context) => {
      try {
        return await wrapped(request, context);
      } catch (error) {
        if (error instanceof ProtocolError && !/^Invalid \S+ request: \[/.test(error.message)) throw error;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, describe(method, error));
      }
    };
  }
}

interface Issue {
  path?: PropertyKey[];
  message?: string;
}

/** Renders the issues, which the SDK puts into the message as JSON, in one line. */
function describe(method: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  try {
    const issues = JSON.parse(message.slice(message.indexOf("["))) as Issue[];
    const problems = issues.map(
      ({ path = [], message: problem = "" }) => `${path.map(String).join(".")}: ${problem}`,
    );
    return `Invalid ${method} request: ${problems.join("; ")}.`;
  } catch {
    return `Invalid ${method} request: ${message}`;
  }
}
