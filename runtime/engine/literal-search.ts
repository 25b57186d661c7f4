// Finds all literals in a whole text, as the automaton does and faster: most places of a text begin no literal, and a look at a set of the
// first classes of all literals says so (as in M. O. Külekci, "Filter based fast matching of long patterns by using SIMD instructions",
// PSC 2009, without the instructions). Where the set says yes, the literals that begin so are compared, four classes at once. The sets
// take 16 KiB, which stay in the processor's nearest cache, and the places of a text do not wait for each other as the steps of an
// automaton do. Work is counted: a text that needs too much of it is left to the automaton, which takes linear time whatever the text.

/** The literals by their first classes. Arrays only, so that another thread can have made them. */
export interface LiteralTables {
  /** Beginnings of two classes, of literals of two or three: one bit each. */
  readonly twoBits: Int32Array;
  /** Beginnings of four classes, of longer literals: one bit for each hash. */
  readonly fourBits: Int32Array;
  /** Beginnings of four, six and eight classes, of literals that have a bucket for as many: likewise. */
  readonly longBits: Int32Array;
  /** Buckets by beginnings of one class, each as one more than its number, and 0 for none. So are the others. */
  readonly ones: Int32Array;
  /** Buckets by beginnings of two classes, a set with open addressing: the beginning, and the bucket. */
  readonly twoKeys: Int32Array;
  readonly twoBuckets: Int32Array;
  /** Buckets by longer beginnings, likewise; these have a second key, which is also told apart by their size. */
  readonly longKeys: Int32Array;
  readonly longSeconds: Int32Array;
  readonly longBuckets: Int32Array;
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

const fourBitsSize = 16;
const longBitsSize = 17;
/** 2^32 over the golden ratio, as a signed number, and another odd number. */
const firstFactor = -0x61c88647;
const secondFactor = 0x2c1b3c6d;
/** How many classes of a literal tell its bucket: the most of these that it has. */
const sizes = [8, 6, 4, 2, 1] as const;
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
  const all = literals.map((text, literal) => {
    const classes = Uint8Array.from({ length: text.length }, (_, i) => classOf(text.charCodeAt(i)));
    const size = sizes.find((each) => each <= classes.length) ?? 1;
    return {
      literal,
      classes,
      size,
      first: keyAt(classes, 0) & maskOf(size),
      second: secondOf(keyAt(classes, step), size),
    };
  });
  all.sort((a, b) => a.size - b.size || a.first - b.first || a.second - b.second || a.literal - b.literal);
  const isSameBucket = (one: Entry | undefined, other: Entry) =>
    one?.size === other.size && one.first === other.first && one.second === other.second;
  const heads = all.flatMap((entry, place) => (isSameBucket(all[place - 1], entry) ? [] : [{ ...entry, place }]));
  const buckets = heads.map((head, index): Bucket => ({ ...head, bucket: index + 1 }));
  const starts = new Int32Array(all.length + 1);
  for (const [place, { classes }] of all.entries()) starts[place + 1] = (starts[place] ?? 0) + classes.length;
  const classes = new Uint8Array(starts[all.length] ?? 0);
  for (const [place, entry] of all.entries()) classes.set(entry.classes, starts[place]);
  return {
    ...addressOf(buckets),
    bucketStart: Int32Array.from([...buckets.map(({ place }) => place), all.length]),
    nexts: Int32Array.from(
      all,
      (entry) => keyAt(entry.classes, entry.size) & maskOf(entry.classes.length - entry.size),
    ),
    masks: Int32Array.from(all, (entry) => maskOf(entry.classes.length - entry.size)),
    lengths: Int32Array.from(all, (entry) => entry.classes.length),
    starts,
    literals: Int32Array.from(all, ({ literal }) => literal),
    classes,
  };
}

interface Entry {
  readonly literal: number;
  readonly classes: Uint8Array;
  readonly size: number;
  readonly first: number;
  readonly second: number;
}

interface Bucket extends Entry {
  /** The place of its first entry. */
  readonly place: number;
  readonly bucket: number;
}

function addressOf(
  buckets: readonly Bucket[],
): Pick<
  LiteralTables,
  "twoBits" | "fourBits" | "longBits" | "ones" | "twoKeys" | "twoBuckets" | "longKeys" | "longSeconds" | "longBuckets"
> {
  const ones = new Int32Array(256);
  const twoBits = new Int32Array(2 ** (16 - 5));
  const fourBits = new Int32Array(2 ** (fourBitsSize - 5));
  const longBits = new Int32Array(2 ** (longBitsSize - 5));
  const twos = buckets.filter(({ size }) => size === 2);
  const longs = buckets.filter(({ size }) => size >= step);
  for (const { size, first, bucket } of buckets) if (size === 1) ones[first] = bucket;
  const twoKeys = new Int32Array(roomFor(twos.length));
  const twoBuckets = new Int32Array(twoKeys.length);
  for (const { first, bucket } of twos) {
    setBit(twoBits, first);
    const place = freePlace(twoBuckets, hashOf(first, 0));
    twoKeys[place] = first;
    twoBuckets[place] = bucket;
  }
  const longKeys = new Int32Array(roomFor(longs.length));
  const longSeconds = new Int32Array(longKeys.length);
  const longBuckets = new Int32Array(longKeys.length);
  for (const { first, second, bucket } of longs) {
    setBit(fourBits, hashOf(first, 0) >>> (32 - fourBitsSize));
    const hash = hashOf(first, second);
    setBit(longBits, hash >>> (32 - longBitsSize));
    const place = freePlace(longBuckets, hash);
    longKeys[place] = first;
    longSeconds[place] = second;
    longBuckets[place] = bucket;
  }
  return { ones, twoBits, fourBits, longBits, twoKeys, twoBuckets, longKeys, longSeconds, longBuckets };
}

/** More than twice as many places as there are buckets: a power of two. */
function roomFor(count: number): number {
  return 2 ** Math.max(4, Math.ceil(Math.log2(count * 2 + 1)));
}

function freePlace(buckets: Int32Array, hash: number): number {
  const last = buckets.length - 1;
  let place = hash >>> Math.clz32(last);
  while (buckets[place] !== 0) place = (place + 1) & last;
  return place;
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
  const { ones, twoBits, fourBits, longBits, twoKeys, twoBuckets, longKeys, longSeconds, longBuckets } = tables;
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

  function bucketOfTwo(key: number): number {
    const last = twoKeys.length - 1;
    for (let place = hashOf(key, 0) >>> Math.clz32(last); ; place = (place + 1) & last) {
      const bucket = twoBuckets[place] ?? 0;
      if (bucket === 0 || twoKeys[place] === key) return bucket;
    }
  }

  function bucketOfLong(key: number, second: number, hash: number): number {
    const last = longKeys.length - 1;
    for (let place = hash >>> Math.clz32(last); ; place = (place + 1) & last) {
      const bucket = longBuckets[place] ?? 0;
      if (bucket === 0 || (longKeys[place] === key && longSeconds[place] === second)) return bucket;
    }
  }

  function compareLong(key: number, at: number, size: number, symbolCount: number): void {
    // No literal has this class, and keys of different sizes are not told apart by it.
    if (symbols[at + size - 1] === 0) return;
    const second = secondOf(keyAt(symbols, at + step), size);
    const hash = hashOf(key, second);
    const place = hash >>> (32 - longBitsSize);
    if (((longBits[place >> 5] ?? 0) & (1 << place)) === 0) return;
    compare(bucketOfLong(key, second, hash), at, size, symbolCount);
  }

  function search(symbolCount: number): boolean {
    count = 0;
    work = leastWork + workPerSymbol * symbolCount;
    let key = ((symbols[0] ?? 0) << 8) | ((symbols[1] ?? 0) << 16) | ((symbols[2] ?? 0) << 24);
    for (let at = 0; at < symbolCount; at++) {
      key = (key >>> 8) | ((symbols[at + 3] ?? 0) << 24);
      const place = hashOf(key, 0) >>> (32 - fourBitsSize);
      const two = key & 0xffff;
      const one = ones[key & 0xff] ?? 0;
      // Most places end here.
      const isFour = ((fourBits[place >> 5] ?? 0) >>> (place & 31)) & 1;
      const isTwo = ((twoBits[two >> 5] ?? 0) >>> (two & 31)) & 1;
      if ((isFour | isTwo | one) === 0) continue;
      if (isFour !== 0) {
        compareLong(key, at, 8, symbolCount);
        compareLong(key, at, 6, symbolCount);
        compareLong(key, at, 4, symbolCount);
      }
      if (isTwo !== 0) compare(bucketOfTwo(two), at, 2, symbolCount);
      if (one !== 0) compare(one, at, 1, symbolCount);
      if (work < 0) return false;
    }
    return true;
  }

  return (text) => (search(read(text)) ? { count, literals: found, ends } : undefined);
}

function keyAt(classes: Uint8Array, at: number): number {
  return (
    (classes[at] ?? 0) | ((classes[at + 1] ?? 0) << 8) | ((classes[at + 2] ?? 0) << 16) | ((classes[at + 3] ?? 0) << 24)
  );
}

/** The second key of a beginning of so many classes; no two sizes share one as long as the last class is not 0, which no literal has. */
function secondOf(key: number, size: number): number {
  return size === 8 ? key : size === 6 ? key & 0xffff : 0;
}

function maskOf(size: number): number {
  return size >= step ? -1 : size <= 0 ? 0 : 2 ** (8 * size) - 1;
}

// The upper bits are the best.
function hashOf(first: number, second: number): number {
  const hash = Math.imul(first, firstFactor) ^ Math.imul(second, secondFactor);
  return Math.imul(hash ^ (hash >>> 15), firstFactor);
}

function setBit(bits: Int32Array, place: number): void {
  bits[place >> 5] = (bits[place >> 5] ?? 0) | (1 << place);
}
