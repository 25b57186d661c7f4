// The trie of the automaton, and its states in breadth-first order with failure and output links.

/** States of an Aho–Corasick automaton, numbered breadth first: a failure link always leads to a smaller number. */
export interface States {
  readonly count: number;
  /** Class of the edge that leads to a state. */
  readonly cls: Int32Array;
  readonly fail: Int32Array;
  /**
   * The children of state s are childStart[s] … childStart[s + 1] - 1: breadth-first order makes siblings neighbours.
   */
  readonly childStart: Int32Array;
  /** Index of the group of literals that end in a state, or -1. */
  readonly own: Int32Array;
  /** The nearest state on the failure path that has a group, or 0. */
  readonly link: Int32Array;
  /**
   * Literals that end in the same state, since their symbols share classes: those of group g are
   * groupLiterals[groupStart[g] … groupStart[g + 1] - 1].
   */
  readonly groupStart: Int32Array;
  readonly groupLiterals: Int32Array;
}

/** Nodes in the order of their creation, in arrays with spare room. */
interface Trie {
  count: number;
  firstChild: Int32Array;
  nextSibling: Int32Array;
  cls: Int32Array;
  own: Int32Array;
  readonly groups: number[][];
}

/** Initial room for nodes. */
const firstRoom = 1_024;

/**
 * Builds the states of literals whose symbols have classes. Calls `assertFit` with the number of states, each time the
 * trie needs more room.
 */
export function buildStates(
  literals: readonly string[],
  classOf: (symbol: number) => number,
  assertFit: (count: number) => void = () => undefined,
): States {
  const trie = buildTrie(literals, classOf, assertFit);
  const { count } = trie;
  const cls = new Int32Array(count);
  const own = new Int32Array(count).fill(-1);
  const childStart = new Int32Array(count + 1);
  const order = [0];
  const parent = new Int32Array(count);
  for (let state = 0; state < order.length; state++) {
    const node = order[state] ?? 0;
    cls[state] = trie.cls[node] ?? 0;
    own[state] = trie.own[node] ?? -1;
    childStart[state] = order.length;
    for (let child = trie.firstChild[node] ?? -1; child >= 0; child = trie.nextSibling[child] ?? -1) {
      parent[order.length] = state;
      order.push(child);
    }
  }
  childStart[count] = count;
  const partial = { count, cls, childStart, own, fail: new Int32Array(count), link: new Int32Array(count) };
  linkStates(partial, parent);
  const groupStart = new Int32Array(trie.groups.length + 1);
  for (const [group, members] of trie.groups.entries())
    groupStart[group + 1] = (groupStart[group] ?? 0) + members.length;
  return { ...partial, groupStart, groupLiterals: Int32Array.from(trie.groups.flat()) };
}

/** The child of a state by a class, or -1. */
function childState(states: Pick<States, "childStart" | "cls">, state: number, cls: number): number {
  const end = states.childStart[state + 1] ?? 0;
  for (let child = states.childStart[state] ?? 0; child < end; child++) {
    if (states.cls[child] === cls) return child;
  }
  return -1;
}

/** The literals that end in a state, without those of its failure path. */
export function literalsOf(
  { own, groupStart, groupLiterals }: Pick<States, "own" | "groupStart" | "groupLiterals">,
  state: number,
): Int32Array {
  const group = own[state] ?? -1;
  return group < 0 ? noLiterals : groupLiterals.subarray(groupStart[group], groupStart[group + 1]);
}

const noLiterals = new Int32Array(0);

function linkStates(states: Omit<States, "groupStart" | "groupLiterals">, parent: Int32Array): void {
  const { fail, link, own, cls } = states;
  for (let state = 1; state < states.count; state++) {
    const from = parent[state] ?? 0;
    let target = 0;
    if (from !== 0) {
      let back = fail[from] ?? 0;
      target = childState(states, back, cls[state] ?? 0);
      while (target < 0 && back !== 0) {
        back = fail[back] ?? 0;
        target = childState(states, back, cls[state] ?? 0);
      }
      if (target < 0) target = 0;
    }
    fail[state] = target;
    link[state] = (own[target] ?? -1) >= 0 ? target : (link[target] ?? 0);
  }
}

function buildTrie(
  literals: readonly string[],
  classOf: (symbol: number) => number,
  assertFit: (count: number) => void,
): Trie {
  const empty = () => new Int32Array(firstRoom).fill(-1);
  const trie: Trie = {
    ...{ count: 1, firstChild: empty(), nextSibling: empty(), cls: new Int32Array(firstRoom), own: empty() },
    groups: [],
  };
  literals.forEach((literal, index) => {
    let node = 0;
    for (let i = 0; i < literal.length; i++) {
      if (trie.count === trie.cls.length) makeRoom(trie, assertFit);
      node = childNode(trie, node, classOf(literal.charCodeAt(i)));
    }
    const group = trie.own[node] ?? -1;
    if (group < 0) {
      trie.own[node] = trie.groups.length;
      trie.groups.push([index]);
    } else trie.groups[group]?.push(index);
  });
  return trie;
}

function childNode(trie: Trie, node: number, cls: number): number {
  for (let child = trie.firstChild[node] ?? -1; child >= 0; child = trie.nextSibling[child] ?? -1) {
    if (trie.cls[child] === cls) return child;
  }
  const created = trie.count++;
  trie.cls[created] = cls;
  trie.nextSibling[created] = trie.firstChild[node] ?? -1;
  trie.firstChild[node] = created;
  return created;
}

// Grows by half: doubling would take most of the memory of a large trie.
function makeRoom(trie: Trie, assertFit: (count: number) => void): void {
  assertFit(trie.count);
  const size = trie.count + (trie.count >> 1);
  const moved = (from: Int32Array, fill: number) => {
    const to = new Int32Array(size).fill(fill, from.length);
    to.set(from);
    return to;
  };
  trie.firstChild = moved(trie.firstChild, -1);
  trie.nextSibling = moved(trie.nextSibling, -1);
  trie.cls = moved(trie.cls, 0);
  trie.own = moved(trie.own, -1);
}
