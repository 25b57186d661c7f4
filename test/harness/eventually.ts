import { setTimeout as sleep } from "node:timers/promises";

/** Repeats until it does not throw, for at most so long; then throws what it threw last. Returns what it returned. */
export async function eventually<T>(check: () => Promise<T> | T, limitMs = 60_000): Promise<T> {
  const untilMs = performance.now() + limitMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > untilMs) throw error;
      await sleep(20);
    }
  }
}
