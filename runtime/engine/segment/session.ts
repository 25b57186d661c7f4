// The history of a session that rules may read: a bounded ledger of plain data. The keeper of sessions stores it and
// passes it to each evaluation. An evaluation only reads it; its additions are in `Evaluation.sessionUpdate`, and
// `advance` makes the next ledger.

/** The history of a session. Plain JSON, which can be stored and sent between processes. */
export interface SessionLedger {
  /** Evaluations before this one. */
  readonly turns: number;
  /** Evaluations whose outcome was BLOCK. */
  readonly blocks: number;
  /** Stages with the trust of their segments, such as "tool_result/untrusted", sorted. */
  readonly seen: readonly string[];
  /** Origins of segments, such as "tool:web_fetch", sorted. At most `sessionLimits.names`. */
  readonly origins: readonly string[];
  /** Names of the tools in proposed calls, sorted. At most `sessionLimits.names`. */
  readonly tools: readonly string[];
  /** Number of findings of each category, including those without effect. At most `sessionLimits.names` categories. */
  readonly categories: Readonly<Record<string, number>>;
}

/** A session as an evaluation sees it. */
export interface SessionView {
  /**
   * False when the history of the session is unknown: the request names no session, or the session began elsewhere or
   * was forgotten. Rules that read `session` are then unjudged ("session_unknown"), and their `on_error` decides.
   */
  readonly known: boolean;
  readonly ledger: SessionLedger;
  /** Originals that are kept for the session, so that equal text keeps its placeholder. */
  readonly vault?: readonly VaultEntry[];
}

/** The additions of one evaluation to its session. */
export type SessionUpdate = SessionLedger;

/** The original text of a placeholder that may be put back. Only the runtime keeps it, and only for its session. */
export interface VaultEntry {
  /** Such as "[EMAIL_1]". */
  readonly placeholder: string;
  readonly original: string;
  readonly category: string;
  /** How long the policy allows it to be kept; undefined for the life of the session. */
  readonly ttlMs: number | undefined;
}

/** The bounds of a ledger. Names beyond them are dropped from the end of the alphabet; counters stop at `count`. */
export const sessionLimits = { names: 256, nameLength: 256, count: 1_000_000 } as const;

/** A session that has just begun. */
export const emptyLedger: SessionLedger = {
  turns: 0,
  blocks: 0,
  seen: [],
  origins: [],
  tools: [],
  categories: {},
};

/** The view of an unknown session. */
export const unknownSession: SessionView = { known: false, ledger: emptyLedger };

/** The ledger after an evaluation. Pure; within the bounds, the order in which updates arrive does not matter. */
export function advance(ledger: SessionLedger, update: SessionUpdate): SessionLedger {
  const categories = new Map(Object.entries(ledger.categories));
  for (const [category, count] of Object.entries(update.categories)) {
    categories.set(category, sum(categories.get(category) ?? 0, count));
  }
  const kept = names(categories.keys());
  return {
    turns: sum(ledger.turns, update.turns),
    blocks: sum(ledger.blocks, update.blocks),
    seen: names([...ledger.seen, ...update.seen]),
    origins: names([...ledger.origins, ...update.origins]),
    tools: names([...ledger.tools, ...update.tools]),
    categories: Object.fromEntries(kept.map((name) => [name, categories.get(name) ?? 0])),
  };
}

/** Distinct names in order, at most as many as a ledger holds. */
export function names(all: Iterable<string>): string[] {
  const short = [...all].filter((name) => name !== "" && name.length <= sessionLimits.nameLength);
  return [...new Set(short)].sort().slice(0, sessionLimits.names);
}

function sum(a: number, b: number): number {
  return Math.min(sessionLimits.count, a + b);
}
