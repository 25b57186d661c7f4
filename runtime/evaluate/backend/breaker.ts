// A circuit breaker (Nygard, "Release It!"): a backend that fails repeatedly gets no calls for a while; then one call
// tries it.

/** The state of a breaker. */
export type BreakerState = "closed" | "open" | "half_open";

/** When a breaker opens, and for how long. */
export interface BreakerLimits {
  /** Failures in a row. */
  readonly failures: number;
  readonly openMs: number;
}

/** Keeps calls away from a backend that fails. */
export class Breaker {
  readonly #limits: BreakerLimits;
  #failures = 0;
  #openUntilMs: number | undefined;
  #isTrying = false;

  constructor(limits: BreakerLimits) {
    this.#limits = limits;
  }

  /** The state at a time. */
  state(nowMs: number): BreakerState {
    if (this.#openUntilMs === undefined) return "closed";
    return nowMs < this.#openUntilMs ? "open" : "half_open";
  }

  /** Whether a call may be made now. A half-open breaker admits one call. */
  admit(nowMs: number): boolean {
    const state = this.state(nowMs);
    if (state === "closed") return true;
    if (state === "open" || this.#isTrying) return false;
    this.#isTrying = true;
    return true;
  }

  /** Notes that a call was answered. */
  succeeded(): void {
    this.#failures = 0;
    this.#openUntilMs = undefined;
    this.#isTrying = false;
  }

  /** Notes that a call failed. */
  failed(nowMs: number): void {
    this.#failures += 1;
    this.#isTrying = false;
    if (this.#failures >= this.#limits.failures) this.#openUntilMs = nowMs + this.#limits.openMs;
  }

  /** Notes that a call ended without saying anything about the backend. */
  undecided(): void {
    this.#isTrying = false;
  }
}
