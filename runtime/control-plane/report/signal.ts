/**
 * Wakes a loop that waits for any of several events. A signal that is raised while nobody waits is kept for the next
 * wait.
 */
export class Signal {
  #isRaised = false;
  #wake: (() => void) | undefined;

  /** Wakes the loop. */
  raise(): void {
    this.#isRaised = true;
    this.#wake?.();
  }

  /** Resolves when the signal is raised, at once if it was raised since the last call, or after `timeoutMs`. */
  next(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#isRaised = false;
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#wake = done;
      if (this.#isRaised) done();
    });
  }
}
