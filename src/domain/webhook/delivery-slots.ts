// Limits how many requests a process makes at once. Requests to targets that are slow or do not answer have slots of
// their own, and a request moves there as soon as it has taken too long. So the slots for quick targets stay free,
// however many targets are dead.

/** How many requests one process makes at once. */
export interface DispatchLimits {
  /** Requests that have not taken long yet. */
  readonly total: number;
  /**
   * Of these, requests of one organization: more than its maximum of webhooks, so that each of them has at least one.
   */
  readonly perOrganization: number;
  /** Requests that take long, and those to targets whose last request did. */
  readonly slow: number;
}

/** Limits of a process. A thousand targets that hang, each for 10 of 18 seconds, need about 560 slots for slow ones. */
export const defaultDispatchLimits: DispatchLimits = { total: 1_024, perOrganization: 128, slow: 640 };

/** The slot of one request. */
export interface Slot {
  readonly orgId: string;
  isSlow: boolean;
}

/** Counts requests. */
export class DeliverySlots {
  readonly #limits: DispatchLimits;
  readonly #quickByOrganization = new Map<string, number>();
  #quick = 0;
  #slow = 0;

  constructor(limits: DispatchLimits) {
    this.#limits = limits;
  }

  /** Requests in all. */
  get used(): number {
    return this.#quick + this.#slow;
  }

  /** Whether a slot is free for a request to a target whose last request was slow or unanswered. */
  get hasSlow(): boolean {
    return this.#slow < this.#limits.slow;
  }

  /** Whether a slot is free for a request of the organization. */
  hasQuick(orgId: string): boolean {
    const { total, perOrganization } = this.#limits;
    return this.#quick < total && (this.#quickByOrganization.get(orgId) ?? 0) < perOrganization;
  }

  /** Takes a slot. */
  take(orgId: string, { isSlow }: { readonly isSlow: boolean }): Slot {
    this.#count({ orgId, isSlow }, 1);
    return { orgId, isSlow };
  }

  /**
   * Moves a request that takes long to a slow slot, so that its quick one is free. This may exceed the limit of slow
   * ones.
   */
  slowDown(slot: Slot): void {
    if (slot.isSlow) return;
    this.#count(slot, -1);
    slot.isSlow = true;
    this.#count(slot, 1);
  }

  /** Gives the slot back. */
  free(slot: Slot): void {
    this.#count(slot, -1);
  }

  #count({ orgId, isSlow }: Slot, change: number): void {
    if (isSlow) {
      this.#slow += change;
      return;
    }
    this.#quick += change;
    const left = (this.#quickByOrganization.get(orgId) ?? 0) + change;
    if (left === 0) this.#quickByOrganization.delete(orgId);
    else this.#quickByOrganization.set(orgId, left);
  }
}
