// What was found in texts before. Much of what a guard reads it has read already: system prompts, the turns of a conversation
// that come again with each new one, documents that are retrieved for many questions. A scan depends on nothing but the scanner, the
// text and whose text it is, so that what it found may be given again; an answer is the same with a memory as without.

import type { Found, Lap, Scanner, TextSource } from "./detector.ts";

/** How a memory stands. */
export interface ScanMemoryStatus {
  /** Texts that were known. */
  readonly known: number;
  /** Texts that had to be scanned. */
  readonly scanned: number;
}

/** Longer texts are scanned each time, in UTF-16 code units: V8 tells long strings apart by their length alone, so that many of one length would be slow to find. */
const longestUnits = 16_000;
/** What an entry takes beside its text and its detections, and what a detection takes, in bytes. */
const entryBytes = 160;
const detectionBytes = 120;

type Entry = Partial<Record<TextSource, Found>>;

/** Remembers the newest texts of each scanner that it is asked about, in bounded memory. */
export class ScanMemory {
  readonly #mostBytes: number;
  readonly #byScanner = new WeakMap<Scanner, Generations>();
  #known = 0;
  #scanned = 0;

  /** With so many bytes for the texts of each scanner; none with 0. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** How often it helped. */
  get status(): ScanMemoryStatus {
    return { known: this.#known, scanned: this.#scanned };
  }

  /** What the scanner finds in the text. What `lap` throws is thrown, and nothing is remembered. */
  scan(scanner: Scanner, text: string, source: TextSource, lap?: Lap): Found {
    if (text.length > longestUnits || this.#mostBytes === 0) return scanner.scan(text, undefined, source, lap);
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
    const created = new Generations(this.#mostBytes / 2);
    this.#byScanner.set(scanner, created);
    return created;
  }
}

function sizeOf(found: Found): number {
  let bytes = 0;
  for (const detections of found.values()) bytes += entryBytes + detections.length * detectionBytes;
  return bytes;
}

// Two generations: what is asked for moves to the young one, and when that is full the old one goes with all that nobody asked for.
class Generations {
  readonly #mostBytes: number;
  #young = new Map<string, { readonly entry: Entry; readonly bytes: number }>();
  #old = this.#young;
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get(text: string): Entry | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young.entry;
    const old = this.#old.get(text);
    if (old !== undefined) this.set(text, old.entry, old.bytes);
    return old?.entry;
  }

  set(text: string, entry: Entry, bytes: number): void {
    if (bytes > this.#mostBytes) return;
    if (this.#bytes + bytes > this.#mostBytes) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#bytes = 0;
    }
    // A text that was there already counts twice until its generation goes: too much is counted, never too little.
    this.#young.set(text, { entry, bytes });
    this.#bytes += bytes;
  }
}
