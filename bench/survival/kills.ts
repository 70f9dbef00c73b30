/** What a process that was killed in a phase leaves to the next one. */
export interface KillResult {
  phase: string;
  /** The next process goes on, and has every fact that it would have without the kill. */
  survived: boolean;
  /** Facts in the context or one call away: without the kill, and after it. */
  without: number;
  after: number;
  problem?: string;
}
