// A cache of scan results. A guard reads the same texts again and again: system prompts, the earlier turns of a
// conversation, documents that are retrieved for many questions. A scan depends only on the scanner, the text and its
// source, so a cached result is always the same as a new one.

import type { Found, Lap, Scanner, TextSource } from "../detectors/detector.ts";

/** Counters of a cache. */
export interface ScanCacheStatus {
  /** Texts that were found in the cache. */
  readonly known: number;
  /** Texts that had to be scanned. */
  readonly scanned: number;
}

/**
 * Longer texts, in UTF-16 code units, are scanned each time: V8 hashes long strings by their length alone, so that many
 * strings of one length would be slow to look up.
 */
const maxTextUnits = 16_000;
/** Approximate bytes of an entry beside its text and its detections, and of one detection. */
const entryBytes = 160;
const detectionBytes = 120;

type Entry = Partial<Record<TextSource, Found>>;

/** Keeps the results of recent texts for each scanner, in bounded memory. */
export class ScanCache {
  readonly #maxBytes: number;
  readonly #byScanner = new WeakMap<Scanner, Generations>();
  #known = 0;
  #scanned = 0;

  /** Keeps at most `maxBytes` for each scanner; 0 disables the cache. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** How often the cache was used so far. */
  get status(): ScanCacheStatus {
    return { known: this.#known, scanned: this.#scanned };
  }

  /** The detections of the scanner in the text. When `lap` throws, the exception is passed on and nothing is cached. */
  scan(scanner: Scanner, text: string, source: TextSource, lap?: Lap): Found {
    if (text.length > maxTextUnits || this.#maxBytes === 0) return scanner.scan(text, undefined, source, lap);
    const texts = this.#textsOf(scanner);
    const entry = texts.get(text);
    const known = entry?.[source];
    if (known !== undefined) {
      this.#known += 1;
      return known;
    }
    this.#scanned += 1;
    const found = scanner.scan(text, undefined, source, lap);
    texts.set(text, { ...entry, [source]: found }, entryBytes + 2 * text.length + sizeOf(found));
    return found;
  }

  #textsOf(scanner: Scanner): Generations {
    const known = this.#byScanner.get(scanner);
    if (known !== undefined) return known;
    const created = new Generations(this.#maxBytes / 2);
    this.#byScanner.set(scanner, created);
    return created;
  }
}

function sizeOf(found: Found): number {
  let bytes = 0;
  for (const detections of found.values()) bytes += entryBytes + detections.length * detectionBytes;
  return bytes;
}

// A cache of two generations: an entry that is used moves to the young one. When the young one is full it becomes the
// old one, and the entries that nobody used since are dropped.
class Generations {
  readonly #maxBytes: number;
  #young = new Map<string, { readonly entry: Entry; readonly bytes: number }>();
  #old = this.#young;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(text: string): Entry | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young.entry;
    const old = this.#old.get(text);
    if (old !== undefined) this.set(text, old.entry, old.bytes);
    return old?.entry;
  }

  set(text: string, entry: Entry, bytes: number): void {
    if (bytes > this.#maxBytes) return;
    if (this.#bytes + bytes > this.#maxBytes) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#bytes = 0;
    }
    // A text that is stored again counts twice until its generation is dropped: the count may be too high, never too
    // low.
    this.#young.set(text, { entry, bytes });
    this.#bytes += bytes;
  }
}
