/** Wakes a loop that waits for any of several things. A ring while nobody waits is kept for the next who does. */
export class Doorbell {
  #isRung = false;
  #wake: (() => void) | undefined;

  /** Wakes whoever waits. */
  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  /** Resolves at the next ring, at once if it rang since the last call, or after `timeoutMs`. */
  next(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#isRung = false;
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#wake = done;
      if (this.#isRung) done();
    });
  }
}
