// What a process keeps of sessions: their ledgers, and the originals of placeholders that may be restored. Everything
// is in memory only and has three bounds: sessions in all, bytes of one session, bytes of all sessions. Beyond a bound
// the least recently used go first.
//
// A session begins with its first evaluation at the stage input. When the first evaluation of a session here is at
// another stage, the session began elsewhere or was forgotten. Its history is not known then, and stays unknown until
// it ends.

import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { BoundedCache } from "../../src/kit/process/bounded-cache.ts";
import {
  advance,
  emptyLedger,
  type SessionLedger,
  type SessionUpdate,
  type SessionView,
  unknownSession,
  type VaultEntry,
} from "../engine/segment/session.ts";

/** Bounds of what is kept. */
export interface SessionLimits {
  /** Sessions in all. */
  readonly count: number;
  /** How long a session is kept after its last evaluation. */
  readonly ttlMs: number;
}

/** Max originals of one session, in UTF-16 code units with their placeholders; beyond it the oldest go. */
export const maxVaultUnits = 256 * 1024;
/** Max of everything that is kept of all sessions, in the same units. */
const maxUnits = 64 * 1024 * 1024;
/** Retries are recognized by the ids of this many evaluations. */
const rememberedIds = 16;
/** Max ids of sessions that were dropped before their time; beyond it the oldest of them seem to be new again. */
const maxForgotten = 65_536;

interface KeptEntry extends VaultEntry {
  readonly expiresMs: number;
}

interface Session {
  readonly known: boolean;
  readonly ledger: SessionLedger;
  readonly vault: readonly KeptEntry[];
  readonly evaluationIds: readonly string[];
  readonly units: number;
  readonly expiresMs: number;
}

/** The contribution of one evaluation to its session. */
export interface SessionChange {
  readonly stage: Stage;
  /** Undefined when the caller named none: then it cannot be a retry. */
  readonly evaluationId: string | undefined;
  readonly update: SessionUpdate;
  readonly vault: readonly VaultEntry[];
}

/** How much is kept. */
export interface SessionStatus {
  readonly count: number;
  /** UTF-16 code units of names, placeholders and originals. */
  readonly units: number;
  /** Sessions that had to go before their time, since the start of the process. */
  readonly evicted: number;
}

/** The sessions of one process. */
export class SessionStore {
  readonly #limits: SessionLimits;
  /** The least recently used first. */
  readonly #sessions = new Map<string, Session>();
  readonly #forgotten = new BoundedCache<string, true>({ maxEntries: maxForgotten });
  #units = 0;
  #evicted = 0;

  constructor(limits: SessionLimits) {
    this.#limits = limits;
  }

  /** The part of a session that an evaluation at a stage may use. */
  view(id: string, stage: Stage, nowMs: number): SessionView {
    const session = this.#live(id, nowMs);
    if (session === undefined) return this.#begins(id, stage) ? { known: true, ledger: emptyLedger } : unknownSession;
    const vault = session.vault.filter(({ expiresMs }) => expiresMs > nowMs);
    return { known: session.known, ledger: session.ledger, vault };
  }

  /** Adds an evaluation to its session. A retry changes nothing but the originals that may be restored. */
  add(id: string, { stage, evaluationId, update, vault }: SessionChange, nowMs: number): void {
    const { ttlMs } = this.#limits;
    const old = this.#live(id, nowMs);
    const isRetry = evaluationId !== undefined && old?.evaluationIds.includes(evaluationId) === true;
    const ledger = isRetry && old !== undefined ? old.ledger : advance(old?.ledger ?? emptyLedger, update);
    const kept = keptEntries(old?.vault ?? [], vault, { nowMs, ttlMs });
    const ids = old?.evaluationIds ?? [];
    const session: Session = {
      known: old?.known ?? this.#begins(id, stage),
      ledger,
      vault: kept,
      evaluationIds: evaluationId === undefined || isRetry ? ids : [...ids, evaluationId].slice(-rememberedIds),
      units: id.length + unitsOfLedger(ledger) + unitsOf(kept),
      expiresMs: nowMs + ttlMs,
    };
    this.#drop(id);
    this.#sessions.set(id, session);
    this.#units += session.units;
    this.#shrink(nowMs);
  }

  /** The originals of a session by their placeholders; undefined when nothing is kept of it. */
  originals(id: string, nowMs: number): ReadonlyMap<string, string> | undefined {
    const session = this.#live(id, nowMs);
    if (session === undefined) return undefined;
    const live = session.vault.filter(({ expiresMs }) => expiresMs > nowMs);
    return new Map(live.map(({ placeholder, original }) => [placeholder, original]));
  }

  /** Drops sessions and originals that have expired. */
  expire(nowMs: number): void {
    for (const [id, { expiresMs }] of this.#sessions) if (expiresMs <= nowMs) this.#drop(id);
    for (const [id, session] of this.#sessions) {
      const vault = session.vault.filter(({ expiresMs }) => expiresMs > nowMs);
      if (vault.length === session.vault.length) continue;
      const units = session.units - unitsOf(session.vault) + unitsOf(vault);
      this.#units += units - session.units;
      this.#sessions.set(id, { ...session, vault, units });
    }
  }

  /** How much is kept. */
  status(): SessionStatus {
    return { count: this.#sessions.size, units: this.#units, evicted: this.#evicted };
  }

  #live(id: string, nowMs: number): Session | undefined {
    const session = this.#sessions.get(id);
    return session === undefined || session.expiresMs <= nowMs ? undefined : session;
  }

  #begins(id: string, stage: Stage): boolean {
    return stage === Stage.INPUT && !this.#forgotten.has(id);
  }

  #drop(id: string): void {
    this.#units -= this.#sessions.get(id)?.units ?? 0;
    this.#sessions.delete(id);
  }

  #shrink(nowMs: number): void {
    for (const [id, { expiresMs }] of this.#sessions) {
      const isOver = this.#sessions.size > this.#limits.count || this.#units > maxUnits;
      if (!isOver && expiresMs > nowMs) return;
      if (expiresMs > nowMs) this.#forget(id);
      this.#drop(id);
    }
  }

  #forget(id: string): void {
    this.#evicted++;
    this.#forgotten.set(id, true);
  }
}

/** The newest entries that fit. An entry that is made again counts as new. */
function keptEntries(
  old: readonly KeptEntry[],
  added: readonly VaultEntry[],
  { nowMs, ttlMs }: { readonly nowMs: number; readonly ttlMs: number },
): readonly KeptEntry[] {
  if (added.length === 0) return old;
  const again = new Set(added.map(({ placeholder }) => placeholder));
  const fresh = added.map((entry) => ({ ...entry, expiresMs: nowMs + Math.min(entry.ttlMs ?? ttlMs, ttlMs) }));
  const all = [...old.filter(({ placeholder, expiresMs }) => expiresMs > nowMs && !again.has(placeholder)), ...fresh];
  let rest = maxVaultUnits;
  let first = all.length;
  for (; first > 0; first--) {
    rest -= unitsOf(all.slice(first - 1, first));
    if (rest < 0) break;
  }
  return all.slice(first);
}

function unitsOf(vault: readonly VaultEntry[]): number {
  return vault.reduce((sum, { placeholder, original }) => sum + placeholder.length + original.length, 0);
}

function unitsOfLedger({ seen, origins, tools, categories }: SessionLedger): number {
  const names = [...seen, ...origins, ...tools, ...Object.keys(categories)];
  return names.reduce((sum, name) => sum + name.length, 0);
}
