import { ProtocolError, ProtocolErrorCode, Server } from "@modelcontextprotocol/server";

type Handler = Parameters<Server["_wrapHandler"]>[1];

/** The SDK's server, which calls a request of the wrong shape an internal error; here it is what the protocol calls it. */
export class ProtocolServer extends Server {
  /** Handlers throw nothing but `ProtocolError`, so whatever else comes out is the check of the request's shape. */
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

/** The list of problems that stands in the message as JSON, in one line. */
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
