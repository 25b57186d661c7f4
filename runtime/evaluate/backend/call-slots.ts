// How many calls of a backend are under way at once. A request may have more texts than that, and so may many requests
// together: those that find no slot wait for one, in the order in which they came, as long as their time lasts.

/** Why a call got no slot. */
export type NoSlot = "timeout" | "error";

/** The slots of one backend. */
export class CallSlots {
  #free: number;
  readonly #maxWaiting: number;
  /** Those that wait, in their order. */
  readonly #waiting = new Set<() => void>();

  constructor({ calls, waiting }: { readonly calls: number; readonly waiting: number }) {
    this.#free = calls;
    this.#maxWaiting = waiting;
  }

  /** Takes a slot, which has to be given back. Without one by `endsAtMs` of the process's clock, says why. */
  async take(endsAtMs: number): Promise<NoSlot | undefined> {
    if (this.#free > 0) {
      this.#free -= 1;
      return undefined;
    }
    if (this.#waiting.size >= this.#maxWaiting) return "error";
    return new Promise((resolve) => {
      const enter = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(enter);
        resolve("timeout");
      }, endsAtMs - performance.now());
      this.#waiting.add(enter);
    });
  }

  /** Gives a slot to who waits longest, or keeps it for the next. */
  giveBack(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(first);
    first();
  }
}
