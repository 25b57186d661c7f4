// The states of a lazy automaton: their rows in one Uint16Array that is indexed by state and class, their contents in
// another, and their share of the memory of all automata. A state is found by its content in a hash table with open
// addressing. A hostile text needs a new state for every few characters, so nothing is allocated for each.

/**
 * How many bytes the states of an automaton may take, approximately. An automaton that exceeds them discards all states
 * and starts again.
 */
export interface DfaMemory {
  readonly maxBytes: number;
  /** The bytes that an automaton may take even when the shared memory is used up. */
  readonly ownBytes: number;
  readonly shared: { leftBytes: number };
}

/** Stands for an entry of the table that is not known yet. */
export const unknown = 0xffff;
/** An entry has 16 bits, two of which may be flags: half the memory is half the misses of the caches. */
const maxStates = 0x3fff - 16;
const firstStates = 8;
const firstNumbers = 64;
/** Bytes of a state beside its row and its content, approximately. */
const stateBytes = 24;

/** Returns the shared memory of automata that were collected, such as those of an earlier bundle. */
const forgotten = new FinalizationRegistry<{ held: { bytes: number }; memory: DfaMemory }>(({ held, memory }) => {
  memory.shared.leftBytes += held.bytes;
});

/** The states of an automaton, and the entries that lead from one to the next. */
export class StateTable {
  /** Entries by state and class. The array is replaced when states are added. */
  table: Uint16Array = new Uint16Array(0);
  /** Entries of a state. The last entry is for the end of the text. */
  readonly width: number;
  /** Increased each time all states are discarded. */
  generation = 0;
  /** The contents of all states, one after the other. The array is replaced when states are added. */
  contents: Int32Array = new Int32Array(0);
  /** By state: where its content begins. One more entry says where the next one will. */
  #starts = new Int32Array(firstStates + 1);
  #count = 0;
  /** By the hash of a content: the number of its state plus one, or 0. */
  #slots = new Int32Array(4 * firstStates);
  readonly #memory: DfaMemory;
  /**
   * Bytes of the states, approximately. An object of its own, so that they can be returned after the automaton is
   * collected.
   */
  readonly #held = { bytes: 0 };

  constructor(width: number, memory: DfaMemory) {
    this.width = width;
    this.#memory = memory;
    forgotten.register(this, { held: this.#held, memory });
  }

  /** Bytes of the states, approximately. */
  get sizeBytes(): number {
    return this.#held.bytes;
  }

  /** Whether the states take as much memory as they may. */
  get isFull(): boolean {
    const { maxBytes, ownBytes, shared } = this.#memory;
    const { bytes } = this.#held;
    return this.#count >= maxStates || bytes > maxBytes || (bytes > ownBytes && shared.leftBytes < 0);
  }

  /** Where the content of a state begins in `contents`. */
  startOf(state: number): number {
    return this.#starts[state] ?? 0;
  }

  /** Where it ends. */
  endOf(state: number): number {
    return this.#starts[state + 1] ?? 0;
  }

  /** The number of the state whose content is the first `length` of these numbers. It is added when it is new. */
  stateOf(content: Int32Array, length: number): number {
    let slot = this.#slotOf(content, 0, length);
    for (let number = this.#slots[slot] ?? 0; number !== 0; number = this.#slots[slot] ?? 0) {
      if (this.#hasContent(number - 1, content, length)) return number - 1;
      slot = (slot + 1) & (this.#slots.length - 1);
    }
    return this.#add(content, length, slot);
  }

  /** Discards all states. */
  clear(): void {
    this.generation++;
    this.table = new Uint16Array(0);
    this.contents = new Int32Array(0);
    this.#starts = new Int32Array(firstStates + 1);
    this.#slots = new Int32Array(4 * firstStates);
    this.#count = 0;
    this.#memory.shared.leftBytes += this.#held.bytes;
    this.#held.bytes = 0;
  }

  #slotOf(numbers: Int32Array, from: number, to: number): number {
    let hash = to - from;
    for (let i = from; i < to; i++) hash = Math.imul(hash ^ (numbers[i] ?? 0), 0x9e3779b1) ^ (hash >>> 15);
    return (hash ^ (hash >>> 16)) & (this.#slots.length - 1);
  }

  #hasContent(state: number, content: Int32Array, length: number): boolean {
    const { contents } = this;
    const start = this.#starts[state] ?? 0;
    if ((this.#starts[state + 1] ?? 0) - start !== length) return false;
    for (let i = 0; i < length; i++) if (contents[start + i] !== content[i]) return false;
    return true;
  }

  #add(content: Int32Array, length: number, slot: number): number {
    const number = this.#count++;
    this.#slots[slot] = number + 1;
    const start = this.#starts[number] ?? 0;
    const end = start + length;
    if (end > this.contents.length) this.contents = enlarged(this.contents, Math.max(firstNumbers, end));
    for (let i = 0; i < length; i++) this.contents[start + i] = content[i] ?? 0;
    if (number + 2 > this.#starts.length) this.#starts = enlarged(this.#starts, number + 2);
    this.#starts[number + 1] = end;
    const bytes = stateBytes + this.width * Uint16Array.BYTES_PER_ELEMENT + length * Int32Array.BYTES_PER_ELEMENT;
    this.#held.bytes += bytes;
    this.#memory.shared.leftBytes -= bytes;
    if ((number + 1) * this.width > this.table.length) this.#growTable();
    if (2 * this.#count > this.#slots.length) this.#growSlots();
    return number;
  }

  #growTable(): void {
    const states = Math.max(firstStates, Math.ceil(this.#count * 1.5));
    const table = new Uint16Array(states * this.width);
    table.set(this.table);
    this.table = table.fill(unknown, (this.#count - 1) * this.width);
  }

  #growSlots(): void {
    this.#slots = new Int32Array(2 * this.#slots.length);
    for (let state = 0; state < this.#count; state++) {
      let slot = this.#slotOf(this.contents, this.startOf(state), this.endOf(state));
      while (this.#slots[slot] !== 0) slot = (slot + 1) & (this.#slots.length - 1);
      this.#slots[slot] = state + 1;
    }
  }
}

// At least so many numbers, and half as many again as there were.
function enlarged(numbers: Int32Array, least: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(Math.max(least, Math.ceil(numbers.length * 1.5)));
  larger.set(numbers);
  return larger;
}
