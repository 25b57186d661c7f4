// Room for one step of a lazy automaton. All automata share it, since a step ends before the next one begins: hundreds
// of patterns with room of their own would take tens of megabytes.

/** Instructions, of which the first `count` numbers count. */
export interface NodeList {
  readonly nodes: Int32Array;
  count: number;
}

const lastMark = 0x7fff_ffff;

/** Room for automata with at most `size` instructions. */
export class StepRoom {
  readonly size: number;
  /** Instructions to follow: one that is followed leaves at most two in its place. */
  readonly stack: Int32Array;
  /** By instruction: the mark of the search that has met it. */
  readonly marks: Int32Array;
  /** Instructions that may consume the next character. */
  readonly ready: NodeList;
  /** Instructions that were reached, and those whose condition is not decided. */
  readonly runes: NodeList;
  readonly pending: NodeList;
  /** The content of a state. */
  readonly content: Int32Array;
  #mark = 0;

  constructor(size: number) {
    const list = () => ({ nodes: new Int32Array(size), count: 0 });
    this.size = size;
    this.stack = new Int32Array(2 * size + 2);
    this.marks = new Int32Array(size);
    this.ready = list();
    this.runes = list();
    this.pending = list();
    this.content = new Int32Array(size + 2);
  }

  /** A mark that no instruction has. */
  nextMark(): number {
    if (this.#mark === lastMark) {
      this.marks.fill(0);
      this.#mark = 0;
    }
    return ++this.#mark;
  }
}

let shared = new StepRoom(1024);

/** Room for an automaton with so many instructions. */
export function roomFor(size: number): StepRoom {
  if (shared.size < size) shared = new StepRoom(2 * size);
  return shared;
}
