// How long each detector takes within a scan that serves all of them.

import { useOf } from "./spec-table.ts";

/** What is done for all detectors: the forms of a text, and one search for all literals. */
export const sharedTime = "shared";

/** Takes the time of the scans of one evaluation, by a clock that tells microseconds. */
export class DetectorTimes {
  readonly #elapsedUs: () => number;
  readonly #totalUs = new Map<string, number>();
  #lastUs = 0;

  constructor(elapsedUs: () => number) {
    this.#elapsedUs = elapsedUs;
  }

  /** A scan begins. */
  start(): void {
    this.#lastUs = this.#elapsedUs();
  }

  /** A part of it ended, which was for the detector with this key of a spec, or for all. */
  readonly lap = (key: string | undefined): void => {
    const nowUs = this.#elapsedUs();
    const detector = key === undefined ? sharedTime : useOf(key);
    this.#totalUs.set(detector, (this.#totalUs.get(detector) ?? 0) + nowUs - this.#lastUs);
    this.#lastUs = nowUs;
  };

  /** Tells the time of each. */
  tell(onDetectorTime: (detector: string, us: number) => void): void {
    for (const [detector, us] of this.#totalUs) onDetectorTime(detector, us);
  }
}
