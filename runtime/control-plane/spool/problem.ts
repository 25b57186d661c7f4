// The operations that the disk of a spool refuses, each until it succeeds again.

/** An operation of the disk. */
export type DiskOperation = "write" | "sync" | "cursor" | "read" | "remove";

/** The operations that the disk refuses. */
export class ProblemList {
  readonly #messages = new Map<DiskOperation, string>();

  /** Does the operation and returns its result; undefined, without throwing, when the disk refuses it. */
  try<T>(operation: DiskOperation, work: () => T): T | undefined {
    try {
      const result = work();
      this.solved(operation);
      return result;
    } catch (error) {
      this.failed(operation, error);
      return undefined;
    }
  }

  /** Says that the operation succeeded. */
  solved(operation: DiskOperation): void {
    this.#messages.delete(operation);
  }

  /** Says that the operation failed, and why. */
  failed(operation: DiskOperation, error: unknown): void {
    this.#messages.set(operation, error instanceof Error ? error.message : String(error));
  }

  /** The message of each operation that is refused; empty when none is. */
  list(): Partial<Record<DiskOperation, string>> {
    return Object.fromEntries(this.#messages);
  }
}
