// Lets few calls of one organization's directory work at once: a first synchronisation sends thousands as fast as they
// are answered, and each write waits for the lock of the team. Others wait for their turn.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../kit/fault/fault.ts";

/** Calls of one organization that work at once, in this process. */
export const maxCallsAtOnce = 8;
/** Time that a call waits for its turn. */
export const maxWaitMs = 5_000;
/** Calls of one organization that wait. */
const maxWaiting = 200;

interface Lane {
  running: number;
  readonly waiting: Set<() => void>;
}

/** The lanes of all organizations. */
export class CallGate {
  readonly #lanes = new Map<string, Lane>();
  readonly #waitMs: number;

  constructor({ waitMs = maxWaitMs }: { readonly waitMs?: number } = {}) {
    this.#waitMs = waitMs;
  }

  /** Runs the work when it is its turn. Throws OVERLOADED when that does not come in time. */
  async run<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(orgId) ?? { running: 0, waiting: new Set() };
    this.#lanes.set(orgId, lane);
    if (lane.running < maxCallsAtOnce) lane.running += 1;
    else await this.#turn(lane);
    try {
      return await work();
    } finally {
      this.#leave(orgId, lane);
    }
  }

  #turn({ waiting }: Lane): Promise<void> {
    if (waiting.size >= maxWaiting) throw overloaded();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(go);
        reject(overloaded());
      }, this.#waitMs);
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      waiting.add(go);
    });
  }

  // Whoever waits takes over the place, so that nobody can slip in between.
  #leave(orgId: string, lane: Lane): void {
    const [next] = lane.waiting;
    if (next !== undefined) {
      lane.waiting.delete(next);
      next();
      return;
    }
    lane.running -= 1;
    if (lane.running === 0) this.#lanes.delete(orgId);
  }
}

function overloaded(): Fault {
  return new Fault(Reason.OVERLOADED, "too many calls of this directory at once; retry later", {
    extra: { retry_after: 5 },
    headers: { "Retry-After": "5" },
  });
}
