// How long each detector takes within a scan that serves all detectors.

import { useOf } from "./spec-table.ts";

/** The name under which shared work is reported: the forms of a text, and one search for all literals. */
const sharedTime = "shared";

/** Measures the scans of one evaluation with a clock that counts microseconds. */
export class DetectorTimes {
  readonly #elapsedUs: () => number;
  readonly #totalUs = new Map<string, number>();
  #lastUs = 0;

  constructor(elapsedUs: () => number) {
    this.#elapsedUs = elapsedUs;
  }

  /** Marks the start of a scan. */
  start(): void {
    this.#lastUs = this.#elapsedUs();
  }

  /**
   * Marks the end of a part of it. The part belonged to the detector with this spec key, or to all detectors when
   * undefined.
   */
  readonly lap = (key: string | undefined): void => {
    const nowUs = this.#elapsedUs();
    const detector = key === undefined ? sharedTime : useOf(key);
    this.#totalUs.set(detector, (this.#totalUs.get(detector) ?? 0) + nowUs - this.#lastUs);
    this.#lastUs = nowUs;
  };

  /** Reports the time of each detector. */
  report(onDetectorTime: (detector: string, us: number) => void): void {
    for (const [detector, us] of this.#totalUs) onDetectorTime(detector, us);
  }
}
