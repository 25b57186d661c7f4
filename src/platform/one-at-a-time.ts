// Works that need much memory, one after the other: however many ask, the process needs it once.

import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../kit/fault/fault.ts";

/** Works of one organization that wait. */
const maxWaiting = 2;
/** Works of all organizations that wait. */
const maxWaitingOfAll = 16;
const retryAfterSeconds = 5;

/** Does one work at a time. */
export class OneAtATime {
  readonly #waiting = new Map<string, number>();
  #last: Promise<unknown> = Promise.resolve();

  /** Does the work when it is its turn. Throws OVERLOADED when too many wait, and what the signal was aborted with. */
  async run<T>(orgId: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const own = this.#waiting.get(orgId) ?? 0;
    const all = this.#waiting.values().reduce((sum, count) => sum + count, 0);
    if (own >= maxWaiting || all >= maxWaitingOfAll) throw overloaded();
    this.#waiting.set(orgId, own + 1);
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    this.#leave(orgId);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      resolve();
    }
  }

  #leave(orgId: string): void {
    const left = (this.#waiting.get(orgId) ?? 1) - 1;
    if (left === 0) this.#waiting.delete(orgId);
    else this.#waiting.set(orgId, left);
  }
}

function overloaded(): Fault {
  return new Fault(Reason.OVERLOADED, "too many of these calls wait already; try again when some of them are done", {
    extra: { retry_after: retryAfterSeconds },
    headers: { "Retry-After": String(retryAfterSeconds) },
  });
}
