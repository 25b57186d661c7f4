// The trie behind the automaton, and its states in breadth-first order with failure and output links.

/** States of an Aho–Corasick automaton, numbered breadth first: a failure link always leads to a smaller number. */
export interface States {
  readonly count: number;
  /** Class of the edge that leads to a state. */
  readonly cls: Int32Array;
  readonly fail: Int32Array;
  /** Children of state s are childStart[s] … childStart[s + 1] - 1, since breadth-first order makes siblings neighbours. */
  readonly childStart: Int32Array;
  /** Index of the group of literals that end in a state, or -1. */
  readonly own: Int32Array;
  /** The nearest state on the failure path that has a group, or 0. */
  readonly link: Int32Array;
  /** Literals that end in one state, several when their symbols share classes: those of group g are groupLiterals[groupStart[g] …]. */
  readonly groupStart: Int32Array;
  readonly groupLiterals: Int32Array;
}

interface Trie {
  readonly firstChild: number[];
  readonly nextSibling: number[];
  readonly cls: number[];
  readonly own: number[];
  readonly groups: number[][];
}

/** Builds the states for literals given as sequences of classes. */
export function buildStates(literals: readonly string[], classOf: (symbol: number) => number): States {
  const trie = buildTrie(literals, classOf);
  const count = trie.cls.length;
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
export function childState(states: Pick<States, "childStart" | "cls">, state: number, cls: number): number {
  const end = states.childStart[state + 1] ?? 0;
  for (let child = states.childStart[state] ?? 0; child < end; child++) {
    if (states.cls[child] === cls) return child;
  }
  return -1;
}

/** The literals that end in a state, those of its failure path apart. */
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

function buildTrie(literals: readonly string[], classOf: (symbol: number) => number): Trie {
  const trie: Trie = { firstChild: [-1], nextSibling: [-1], cls: [0], own: [-1], groups: [] };
  literals.forEach((literal, index) => {
    let node = 0;
    for (let i = 0; i < literal.length; i++) node = childNode(trie, node, classOf(literal.charCodeAt(i)));
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
  const created = trie.cls.length;
  trie.cls.push(cls);
  trie.nextSibling.push(trie.firstChild[node] ?? -1);
  trie.firstChild.push(-1);
  trie.own.push(-1);
  trie.firstChild[node] = created;
  return created;
}
