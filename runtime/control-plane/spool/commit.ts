// Group commit: many appends share one fdatasync, which starts a little after the first of them, or at once when many
// wait. Appends during a sync belong to the next sync, which starts no later for it. So an append is on the disk after
// the delay and one sync, or after two syncs when one takes longer than the delay.

/** Options of a group commit. */
export interface GroupCommitOptions {
  /** Puts everything that was written so far on the disk. Never rejects. */
  readonly sync: () => Promise<void>;
  readonly delayMs: number;
  /** This many waiting appends start a sync at once. */
  readonly maxWaiting: number;
}

/** Groups appends into syncs. */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  #waiting: (() => void)[] = [];
  #marked = 0;
  /** When the first append of the next sync was written. */
  #markedAtMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** Says that something was written. */
  mark(): void {
    if (this.#marked++ === 0) this.#markedAtMs = performance.now();
    if (this.#running === undefined) this.#arrange();
  }

  /** Says that something was written, and resolves when it is on the disk. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.mark();
    });
  }

  /** Resolves when everything that was written before this call is on the disk. */
  async flush(): Promise<void> {
    await this.#running;
    if (this.#running === undefined) this.#begin();
    await this.#running;
  }

  #arrange(): void {
    const { delayMs, maxWaiting } = this.#options;
    const leftMs = this.#markedAtMs + delayMs - performance.now();
    if (this.#marked >= maxWaiting || leftMs <= 0) this.#begin();
    else this.#timer ??= setTimeout(() => this.#begin(), leftMs).unref();
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#marked = 0;
    await this.#options.sync();
    for (const resolve of waiting) resolve();
    this.#running = undefined;
    if (this.#marked > 0) this.#arrange();
  }
}
