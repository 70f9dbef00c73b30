import { isBusy, storeError } from "./errors.ts";

/** How long a store waits for another process's lock, unless the caller sets another time. */
export const defaultLockTimeout = 60_000;

/** How long one attempt may block this thread. The rest of the lock timeout is waited out without blocking. */
export const blockingMilliseconds = 20;

/** Repeats work that failed because another process holds a lock, until it succeeds or lockTimeout runs out. */
export async function retryWhileBusy<T>(path: string, lockTimeout: number, work: () => T): Promise<T> {
  // Read only if the first attempt fails: loading `performance` takes a hook 3 ms.
  let deadline: number | undefined;
  for (let attempt = 0; ; attempt++) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw storeError(error, path);
      deadline ??= performance.now() + lockTimeout;
      if (performance.now() >= deadline) throw storeError(error, path);
    }
    // Random, so that waiting processes do not meet again; longer after each attempt.
    const longest = Math.min(50, 5 + attempt * 5);
    await new Promise((proceed) => setTimeout(proceed, 1 + Math.random() * longest));
  }
}
