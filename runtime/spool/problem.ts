// What the disk of a spool last refused to do, until it does it again.

/** What is asked of the disk. */
export type Deed = "write" | "sync" | "cursor" | "read" | "remove";

/** The deeds that the disk refuses. */
export class ProblemList {
  readonly #messages = new Map<Deed, string>();

  /** Does the deed and returns its result; undefined, without throwing, when the disk refuses it. */
  try<T>(deed: Deed, work: () => T): T | undefined {
    try {
      const result = work();
      this.solved(deed);
      return result;
    } catch (error) {
      this.failed(deed, error);
      return undefined;
    }
  }

  /** Says that the disk did it. */
  solved(deed: Deed): void {
    this.#messages.delete(deed);
  }

  /** Says that the disk refused it, and why. */
  failed(deed: Deed, error: unknown): void {
    this.#messages.set(deed, error instanceof Error ? error.message : String(error));
  }

  /** What the disk says, by deed; empty when it refuses nothing. */
  list(): Partial<Record<Deed, string>> {
    return Object.fromEntries(this.#messages);
  }
}
