// The rows of a lazy automaton: one Int32Array that is indexed by state and class, and its share of the memory of all
// automata.

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
export const unknown = -1;
const firstStates = 8;
/** Bytes of a state beside its row, approximately. */
const stateBytes = 160;

/** Returns the shared memory of automata that were collected, such as those of an earlier bundle. */
const forgotten = new FinalizationRegistry<{ held: { bytes: number }; memory: DfaMemory }>(({ held, memory }) => {
  memory.shared.leftBytes += held.bytes;
});

/** The states of an automaton, and the entries that lead from one to the next. */
export class StateTable<State> {
  /** Entries by state and class. The array is replaced when states are added. */
  table: Int32Array = new Int32Array(0);
  /** Entries of a state. The last entry is for the end of the text. */
  readonly width: number;
  /** Increased each time all states are discarded. */
  generation = 0;
  #states: State[] = [];
  readonly #known = new Map<string, number>();
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
    return bytes > maxBytes || (bytes > ownBytes && shared.leftBytes < 0);
  }

  /** The state with this number. */
  at(state: number): State | undefined {
    return this.#states[state];
  }

  /** The number of the state with this key. */
  find(key: string): number | undefined {
    return this.#known.get(key);
  }

  /** Adds a state with so many instructions and returns its number. */
  add(key: string, state: State, instructions: number): number {
    const number = this.#states.length;
    this.#states.push(state);
    this.#known.set(key, number);
    const bytes = stateBytes + this.width * 4 + instructions * 8;
    this.#held.bytes += bytes;
    this.#memory.shared.leftBytes -= bytes;
    if ((number + 1) * this.width > this.table.length) this.#grow();
    return number;
  }

  /** Discards all states. */
  clear(): void {
    this.generation++;
    this.table = new Int32Array(0);
    this.#states = [];
    this.#known.clear();
    this.#memory.shared.leftBytes += this.#held.bytes;
    this.#held.bytes = 0;
  }

  #grow(): void {
    const states = Math.max(firstStates, Math.ceil(this.#states.length * 1.5));
    const table = new Int32Array(states * this.width).fill(unknown);
    table.set(this.table);
    this.table = table;
  }
}
