// What is running right now, in a file. Native code that crashes takes its process along, so only a file can say
// afterwards what it was working on; the bytes of a write stay when the process is killed.

import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

const slotBytes = 32;
const empty = Buffer.alloc(slotBytes);

/** The record, as the process that may crash writes it. */
export class FlightRecord {
  readonly #descriptor: number;

  constructor(path: string) {
    this.#descriptor = openSync(path, "w", 0o600);
  }

  /** Notes that a place works on the input of this digest (32 bytes). */
  begin(lane: number, digest: Buffer): void {
    writeSync(this.#descriptor, digest, 0, slotBytes, lane * slotBytes);
  }

  /** Notes that it is done. */
  end(lane: number): void {
    writeSync(this.#descriptor, empty, 0, slotBytes, lane * slotBytes);
  }

  /** Closes the file. */
  close(): void {
    closeSync(this.#descriptor);
  }
}

/** The digests that were being worked on, in hexadecimal digits. */
export function readFlightRecord(path: string): string[] {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    // The process ended before it began anything.
    return [];
  }
  const slots = Array.from({ length: Math.floor(bytes.length / slotBytes) }, (_, index) =>
    bytes.subarray(index * slotBytes, (index + 1) * slotBytes),
  );
  return slots.filter((slot) => !slot.equals(empty)).map((slot) => slot.toString("hex"));
}
