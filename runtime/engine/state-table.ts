// The rows of a lazy automaton: one Int32Array that is indexed by state and class, and what it takes of the memory that automata share.

/** How many bytes the states of an automaton may take, about. When they do, all of them are thrown away and made anew. */
export interface DfaMemory {
  readonly mostBytes: number;
  /** What it may take when others have used up what they share. */
  readonly ownBytes: number;
  readonly shared: { leftBytes: number };
}

/** In place of an entry of the table that is not known yet. */
export const unknown = -1;
const firstStates = 8;
/** Bytes of a state beside its row, about. */
const stateBytes = 160;

/** Automata of bundles that are not in force any more give back what they took of the shared memory. */
const forgotten = new FinalizationRegistry<{ held: { bytes: number }; memory: DfaMemory }>(({ held, memory }) => {
  memory.shared.leftBytes += held.bytes;
});

/** The states of an automaton and the entries that lead from one to the next. */
export class StateTable<State> {
  /** Entries by state and class. It is another array when states were added. */
  table: Int32Array = new Int32Array(0);
  /** Entries of a state. The last is that for the end of the text. */
  readonly width: number;
  /** Raised when all states are thrown away. */
  generation = 0;
  #states: State[] = [];
  readonly #known = new Map<string, number>();
  readonly #memory: DfaMemory;
  /** Bytes of the states, about. Apart from the automaton, so that they are given back when it is gone. */
  readonly #held = { bytes: 0 };

  constructor(width: number, memory: DfaMemory) {
    this.width = width;
    this.#memory = memory;
    forgotten.register(this, { held: this.#held, memory });
  }

  /** Bytes of the states, about. */
  get sizeBytes(): number {
    return this.#held.bytes;
  }

  /** Whether the states take as much as they may. */
  get isFull(): boolean {
    const { mostBytes, ownBytes, shared } = this.#memory;
    const { bytes } = this.#held;
    return bytes > mostBytes || (bytes > ownBytes && shared.leftBytes < 0);
  }

  /** The state of a number. */
  at(state: number): State | undefined {
    return this.#states[state];
  }

  /** The number of the state of this key. */
  find(key: string): number | undefined {
    return this.#known.get(key);
  }

  /** Adds a state of so many instructions; answers its number. */
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

  /** Throws all states away. */
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
