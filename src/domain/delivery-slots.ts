// How many requests a process makes at once. Requests to targets that are slow or do not answer have slots of their own: a
// request moves there as soon as it has taken too long. So however many targets are dead, the slots of the others stay free.

/** How many requests one process makes at once. */
export interface DispatchLimits {
  /** Requests that have not taken long yet. */
  readonly total: number;
  /** Of these, of one organization: above its most webhooks, so that each of them has at least one. */
  readonly perOrganization: number;
  /** Requests that take long, and those to targets that did the last time. */
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

  /** Whether a slot is free for a request to a target that was slow or silent the last time. */
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

  /** The request takes long: its slot is free for others. There may be more slow ones than their limit for that reason. */
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
