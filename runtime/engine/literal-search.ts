// Finds all literals in a whole text, as the automaton does and faster: most places of a text begin no literal, and a look at a set of the
// first classes of all literals says so (as in M. O. Külekci, "Filter based fast matching of long patterns by using SIMD instructions",
// PSC 2009, without the instructions). Where the set says yes, the literals that begin so are compared, four classes at once. The sets
// take 24 KiB, which stay in the processor's nearest cache, and the places of a text do not wait for each other as the steps of an
// automaton do. Work is counted: a text that needs too much of it is left to the automaton, which takes linear time whatever the text.

/** The literals by their first classes. Arrays only, so that another thread can have made them. */
export interface LiteralTables {
  /** Beginnings of two classes, of literals of two or three: one bit each. */
  readonly twoBits: Int32Array;
  /** Beginnings of four classes, of longer literals: one bit for each hash. */
  readonly fourBits: Int32Array;
  /** Buckets of literals that have one class, by that class; one more than the number, as below. */
  readonly ones: Int32Array;
  /** Buckets by beginning, two sets with open addressing: the beginning, and one more than the number of the bucket. */
  readonly twoKeys: Int32Array;
  readonly twoBuckets: Int32Array;
  readonly fourKeys: Int32Array;
  readonly fourBuckets: Int32Array;
  /** The entries of bucket b are bucketStart[b] … bucketStart[b + 1] - 1. */
  readonly bucketStart: Int32Array;
  /** Of each entry the up to four classes behind the beginning, and which of their bits count. */
  readonly nexts: Int32Array;
  readonly masks: Int32Array;
  readonly lengths: Int32Array;
  /** Where the classes of a literal are in `classes`. */
  readonly starts: Int32Array;
  /** The literal's index. */
  readonly literals: Int32Array;
  readonly classes: Uint8Array;
}

/** Hits of literals, ordered by their ends. */
export interface Hits {
  readonly count: number;
  /** The literal of each, and the offset behind its last code unit. */
  readonly literals: Int32Array;
  readonly ends: Int32Array;
}

const fourBitsSize = 17;
/** 2^32 over the golden ratio, as a signed number. */
const fourHash = -0x61c88647;
const spaceClass = 1;
/** Units of work that a text may cost for each of its symbols, and beside them. */
const workPerSymbol = 16;
const leastWork = 4_096;
/** The longest text that finds its room made, in code units. */
const usualLength = 16_384;
/** Hits that there is room for, beside one for each code unit. */
const leastHits = 256;
/** Classes that are compared at once. */
const step = 4;

/** The tables of literals, given as sequences of classes. */
export function literalTables(literals: readonly string[], classOf: (symbol: number) => number): LiteralTables {
  const sequences = literals.map((literal) =>
    Uint8Array.from({ length: literal.length }, (_, i) => classOf(literal.charCodeAt(i))),
  );
  const order = Array.from(sequences.keys()).sort(
    (a, b) => beginningOf(sequences[a]) - beginningOf(sequences[b]) || a - b,
  );
  const sorted = order.flatMap((index) => sequences[index] ?? []);
  const bucketStart: number[] = [];
  const buckets: { readonly size: number; readonly key: number }[] = [];
  for (const [place, classes] of sorted.entries()) {
    const before = sorted[place - 1];
    if (before !== undefined && beginningOf(before) === beginningOf(classes)) continue;
    bucketStart.push(place);
    buckets.push({ size: beginningSize(classes), key: keyAt(classes, 0) & maskOf(beginningSize(classes)) });
  }
  const starts = new Int32Array(sorted.length + 1);
  for (const [place, { length }] of sorted.entries()) starts[place + 1] = (starts[place] ?? 0) + length;
  const classes = new Uint8Array(starts[sorted.length] ?? 0);
  for (const [place, each] of sorted.entries()) classes.set(each, starts[place]);
  const ones = new Int32Array(256);
  const twoBits = new Int32Array(2 ** 11);
  const fourBits = new Int32Array(2 ** (fourBitsSize - 5));
  for (const [bucket, { size, key }] of buckets.entries()) {
    if (size === 1) ones[key] = bucket + 1;
    else if (size === 2) setBit(twoBits, key);
    else setBit(fourBits, placeOfFour(key));
  }
  const ofSize = (wanted: number) =>
    buckets.map(({ size, key }, bucket) => ({ size, key, bucket })).filter(({ size }) => size === wanted);
  const twos = addressed(ofSize(2));
  const fours = addressed(ofSize(step));
  return {
    twoBits,
    fourBits,
    ones,
    twoKeys: twos.keys,
    twoBuckets: twos.buckets,
    fourKeys: fours.keys,
    fourBuckets: fours.buckets,
    bucketStart: Int32Array.from([...bucketStart, sorted.length]),
    nexts: Int32Array.from(
      sorted,
      (each) => keyAt(each, beginningSize(each)) & maskOf(each.length - beginningSize(each)),
    ),
    masks: Int32Array.from(sorted, (each) => maskOf(each.length - beginningSize(each))),
    lengths: Int32Array.from(sorted, ({ length }) => length),
    starts,
    literals: Int32Array.from(order),
    classes,
  };
}

/** Searches whole texts. */
export interface LiteralSearch {
  /** Finds all literals of a text; undefined when that would cost too much. The next search overwrites what it gives. */
  readonly find: (text: string) => Hits | undefined;
}

/** The search for the literals of these tables. */
export function openLiteralSearch(tables: LiteralTables, classOfUnit: Uint8Array): LiteralSearch {
  const usual = searchWithRoom(tables, classOfUnit, usualLength);
  // A long text gets room of its own.
  const find = (text: string): Hits | undefined =>
    (text.length <= usualLength ? usual : searchWithRoom(tables, classOfUnit, text.length))(text);
  return { find };
}

function searchWithRoom(tables: LiteralTables, classOfUnit: Uint8Array, room: number): LiteralSearch["find"] {
  const { ones, twoBits, twoKeys, twoBuckets, fourBits, fourKeys, fourBuckets } = tables;
  const { bucketStart, nexts, masks, lengths, literals, starts, classes } = tables;
  const symbols = new Uint8Array(room + 2 * step);
  // The offset behind each symbol.
  const offsets = new Int32Array(room);
  const found = new Int32Array(room + leastHits);
  const ends = new Int32Array(room + leastHits);
  let count = 0;
  let work = 0;

  // The classes of a text, of a run of white space only the first, and behind them some that no literal has.
  function read(text: string): number {
    const { length } = text;
    let size = 0;
    let last = 0;
    for (let i = 0; i < length; ) {
      const cls = classOfUnit[text.charCodeAt(i++)] ?? 0;
      if (cls === spaceClass && last === spaceClass) continue;
      last = cls;
      symbols[size] = cls;
      offsets[size++] = i;
    }
    for (let i = 0; i < 2 * step; i++) symbols[size + i] = 0;
    return size;
  }

  function isSame(entry: number, at: number, from: number): boolean {
    const start = starts[entry] ?? 0;
    const length = lengths[entry] ?? 0;
    let i = from;
    while (i < length && classes[start + i] === symbols[at + i]) i++;
    work -= i - from;
    return i === length;
  }

  // Places rise, so a hit belongs near the end.
  function add(literal: number, end: number): void {
    if (count === ends.length) {
      work = -1;
      return;
    }
    let place = count++;
    for (; place > 0 && (ends[place - 1] ?? 0) > end; place--) {
      ends[place] = ends[place - 1] ?? 0;
      found[place] = found[place - 1] ?? 0;
      work--;
    }
    ends[place] = end;
    found[place] = literal;
  }

  // The literals of a bucket, given by one more than its number, at a place where their beginning stands.
  function compare(bucket: number, at: number, size: number, symbolCount: number): void {
    if (bucket === 0) return;
    const end = bucketStart[bucket] ?? 0;
    const first = bucketStart[bucket - 1] ?? 0;
    const next = keyAt(symbols, at + size);
    work -= end - first;
    for (let entry = first; entry < end; entry++) {
      if ((next & (masks[entry] ?? 0)) !== nexts[entry]) continue;
      const length = lengths[entry] ?? 0;
      if (at + length > symbolCount || (length > size + step && !isSame(entry, at, size + step))) continue;
      add(literals[entry] ?? 0, offsets[at + length - 1] ?? 0);
    }
  }

  function search(symbolCount: number): boolean {
    count = 0;
    work = leastWork + workPerSymbol * symbolCount;
    let key = ((symbols[0] ?? 0) << 8) | ((symbols[1] ?? 0) << 16) | ((symbols[2] ?? 0) << 24);
    for (let at = 0; at < symbolCount; at++) {
      key = (key >>> 8) | ((symbols[at + 3] ?? 0) << 24);
      const place = placeOfFour(key);
      const two = key & 0xffff;
      const one = ones[key & 0xff] ?? 0;
      // Most places end here.
      const isFour = ((fourBits[place >> 5] ?? 0) >>> (place & 31)) & 1;
      const isTwo = ((twoBits[two >> 5] ?? 0) >>> (two & 31)) & 1;
      if ((isFour | isTwo | one) === 0) continue;
      if (isFour !== 0) compare(bucketOf(fourKeys, fourBuckets, key), at, step, symbolCount);
      if (isTwo !== 0) compare(bucketOf(twoKeys, twoBuckets, two), at, 2, symbolCount);
      if (one !== 0) compare(one, at, 1, symbolCount);
      if (work < 0) return false;
    }
    return true;
  }

  return (text) => (search(read(text)) ? { count, literals: found, ends } : undefined);
}

/** How many classes of a literal tell its bucket. */
function beginningSize({ length }: Uint8Array): number {
  return length >= step ? step : Math.min(2, length);
}

// Buckets in order: by the size of their beginning, then by its classes.
function beginningOf(classes: Uint8Array | undefined): number {
  if (classes === undefined) return 0;
  const size = beginningSize(classes);
  return size * 2 ** 32 + ((keyAt(classes, 0) & maskOf(size)) >>> 0);
}

function keyAt(classes: Uint8Array, at: number): number {
  return (
    (classes[at] ?? 0) | ((classes[at + 1] ?? 0) << 8) | ((classes[at + 2] ?? 0) << 16) | ((classes[at + 3] ?? 0) << 24)
  );
}

function maskOf(size: number): number {
  return size >= step ? -1 : size <= 0 ? 0 : 2 ** (8 * size) - 1;
}

function placeOfFour(key: number): number {
  return Math.imul(key, fourHash) >>> (32 - fourBitsSize);
}

function setBit(bits: Int32Array, place: number): void {
  bits[place >> 5] = (bits[place >> 5] ?? 0) | (1 << place);
}

function addressed(all: readonly { readonly key: number; readonly bucket: number }[]): {
  readonly keys: Int32Array;
  readonly buckets: Int32Array;
} {
  const size = 2 ** Math.max(4, Math.ceil(Math.log2(all.length * 2 + 1)));
  const keys = new Int32Array(size);
  const buckets = new Int32Array(size);
  for (const { key, bucket } of all) {
    let place = Math.imul(key, fourHash) >>> Math.clz32(size - 1);
    while (buckets[place] !== 0) place = (place + 1) & (size - 1);
    keys[place] = key;
    buckets[place] = bucket + 1;
  }
  return { keys, buckets };
}

function bucketOf(keys: Int32Array, buckets: Int32Array, key: number): number {
  const last = keys.length - 1;
  for (let place = Math.imul(key, fourHash) >>> Math.clz32(last); ; place = (place + 1) & last) {
    const bucket = buckets[place] ?? 0;
    if (bucket === 0 || keys[place] === key) return bucket;
  }
}
