/** The result of one check. A problem keeps memory from the agent; a note does not, or could not be checked. */
export interface Finding {
  check: string;
  status: "ok" | "note" | "problem";
  detail: string;
  /** The next step. */
  remedy?: string;
}

export interface HostReport {
  host: string;
  title: string;
  isPresent: boolean;
  isWired: boolean;
  findings: Finding[];
}

export function ok(check: string, detail: string): Finding {
  return { check, status: "ok", detail };
}

export function note(check: string, detail: string, remedy?: string): Finding {
  return { check, status: "note", detail, ...(remedy === undefined ? {} : { remedy }) };
}

export function problem(check: string, detail: string, remedy: string): Finding {
  return { check, status: "problem", detail, remedy };
}
