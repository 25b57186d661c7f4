// Serves the polls of runtimes: the active bundle of their environment, with its activation. Answers come from a cache
// of this process that each activation empties, by NOTIFY where another process made it, so that a thousand idle pollers
// cost the database nothing. While nothing is heard of other processes, each poll asks whether the cached one is current.

import { etagOf, ifNoneMatch, readEtag } from "../../kit/bundle/entity-tag.ts";
import { notFound } from "../../kit/fault/fault.ts";
import { BoundedCache } from "../../kit/process/bounded-cache.ts";
import { findActivation, findBundle, findKeySet, loadParts, type StatementJson } from "../../store/bundle/bundle.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findEnvironment } from "../../store/project/environment.ts";
import { activationHeader } from "./activation.ts";

/** The scope of a runtime token: whose bundle it asks for. */
export interface RuntimeScope {
  readonly orgId: string;
  readonly projectId: string;
  readonly environment: string;
}

/** The active bundle as it is served. */
export interface LatestBundle {
  readonly etag: string;
  /** The activation statement in the form of its header. */
  readonly activation: string;
  readonly manifest: StatementJson;
  readonly activationStatement: StatementJson;
  /** The signed key set. */
  readonly keys: StatementJson;
  readonly parts: readonly ServedPart[];
}

/** What tells of changes, such as the notifications of the database. */
export interface Changes {
  readonly isListening: boolean;
}

interface ServedPart {
  readonly path: string;
  readonly digest: string;
  readonly data: Uint8Array;
}

/** Upper bound of the bytes of content that are kept. No bundle alone has as many. */
const maxCachedBytes = 256 * 1024 * 1024;

/** How many former bundles are known by the digests of their parts. */
const maxFormer = 200;

/** Serves the active bundles. */
export class LatestBundles {
  readonly #database: Database;
  /** By scope; weighed by their bytes of content once they are loaded. */
  readonly #cache = new BoundedCache<string, Promise<LatestBundle | undefined>>({
    maxEntries: 1000,
    maxWeight: maxCachedBytes,
  });
  /** The digests of the parts of bundles that runtimes had before, by scope and entity tag. */
  readonly #former = new BoundedCache<string, Promise<ReadonlySet<string>>>({ maxEntries: maxFormer });
  readonly #waiting = new Map<string, Set<() => void>>();
  #changes: Changes = { isListening: true };

  constructor(database: Database) {
    this.#database = database;
  }

  /** Names what tells of changes by others. While it does not listen, each call asks whether there were any. */
  follow(changes: Changes): void {
    this.#changes = changes;
  }

  /**
   * The active bundle. When `known` names it, waits for another one until `waitMs` have passed or the signal is
   * aborted, and then returns the same one.
   */
  async get(
    scope: RuntimeScope,
    { known, waitMs, signal }: { readonly known?: string; readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<LatestBundle> {
    const answered = new AbortController();
    const deadline = AbortSignal.any([signal, answered.signal, AbortSignal.timeout(waitMs)]);
    try {
      for (;;) {
        const changed = waitMs === 0 || deadline.aborted ? undefined : this.#nextChange(scope, deadline);
        const latest = await this.#load(scope);
        const current = latest !== undefined && ifNoneMatch(known, latest.etag);
        const mayWait = waitMs > 0 && (current || latest === undefined) && !deadline.aborted;
        if (mayWait) {
          await changed;
          continue;
        }
        if (latest === undefined) throw notFound("active bundle");
        return latest;
      }
    } finally {
      answered.abort();
    }
  }

  /** The parts that a bundle of the same environment, named by its entity tag, lacks: all when there is no such bundle. */
  async changedParts(scope: RuntimeScope, { parts }: LatestBundle, known: string): Promise<readonly ServedPart[]> {
    const held = await this.#digestsOf(scope, known);
    return parts.filter(({ digest }) => !held.has(digest));
  }

  /** Drops the cached bundle of a scope, or of all scopes, and wakes the calls that wait for it. */
  invalidate(scope?: RuntimeScope): void {
    if (scope === undefined) {
      this.#cache.clear();
      for (const key of [...this.#waiting.keys()]) this.#wake(key);
      return;
    }
    this.#cache.delete(keyOf(scope));
    this.#wake(keyOf(scope));
  }

  async #load(scope: RuntimeScope): Promise<LatestBundle | undefined> {
    const key = keyOf(scope);
    for (;;) {
      const cached = this.#cache.get(key);
      if (cached === undefined) return this.#read(scope);
      if (this.#changes.isListening || (await this.#isCurrent(scope, cached))) return cached;
      // Another call may have replaced it meanwhile: then the next turn asks about that one.
      if (this.#cache.get(key) === cached) this.#cache.delete(key);
    }
  }

  async #isCurrent(scope: RuntimeScope, cached: Promise<LatestBundle | undefined>): Promise<boolean> {
    const inForce = this.#database.read(scope.orgId, async (tx) => {
      const found = await findInForce(tx, scope);
      return found && activationHeader(found.activation);
    });
    const [activation, latest] = await Promise.all([inForce, cached]);
    return latest?.activation === activation;
  }

  #read(scope: RuntimeScope): Promise<LatestBundle | undefined> {
    const key = keyOf(scope);
    const loading = this.#database.read(scope.orgId, (tx) => readLatest(tx, scope));
    this.#cache.set(key, loading);
    loading.then(
      (found) => {
        if (this.#cache.get(key) === loading) this.#cache.set(key, loading, sizeOf(found));
      },
      // A failure must not stay in the cache.
      () => {
        if (this.#cache.get(key) === loading) this.#cache.delete(key);
      },
    );
    return loading;
  }

  #digestsOf(scope: RuntimeScope, etag: string): Promise<ReadonlySet<string>> {
    const key = `${keyOf(scope)} ${etag}`;
    const cached = this.#former.get(key);
    if (cached !== undefined) return cached;
    const reading = this.#database.read(scope.orgId, (tx) => readDigests(tx, scope, etag));
    this.#former.set(key, reading);
    reading.catch(() => {
      if (this.#former.get(key) === reading) this.#former.delete(key);
    });
    return reading;
  }

  #nextChange(scope: RuntimeScope, signal: AbortSignal): Promise<void> {
    const key = keyOf(scope);
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener("abort", wake);
        this.#waiting.get(key)?.delete(wake);
        resolve();
      };
      const waiting = this.#waiting.get(key) ?? new Set();
      this.#waiting.set(key, waiting.add(wake));
      signal.addEventListener("abort", wake);
    });
  }

  #wake(key: string): void {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    for (const wake of waiting ?? []) wake();
  }
}

/** The environment's activation that is in force; undefined where none is. */
async function findInForce(tx: Transaction, scope: RuntimeScope) {
  const environment = await findEnvironment(tx, scope.projectId, scope.environment);
  if (environment?.activeVersion == null) return undefined;
  const activation = await findActivation(tx, environment.id, environment.activationSeq);
  return activation === null ? undefined : { environment, version: environment.activeVersion, activation };
}

async function readLatest(tx: Transaction, scope: RuntimeScope): Promise<LatestBundle | undefined> {
  const found = await findInForce(tx, scope);
  if (found === undefined) return undefined;
  const { environment, version, activation } = found;
  const bundle = await findBundle(tx, environment.id, version);
  const keys = await findKeySet(tx);
  if (bundle === null || keys === null) return undefined;
  const data = await loadParts(
    tx,
    bundle.parts.map((part) => part.digest),
  );
  return {
    etag: etagOf(bundle.digest, activation.activationSeq),
    activation: activationHeader(activation),
    manifest: bundle.manifest,
    activationStatement: activation.statement,
    keys: keys.statement,
    parts: bundle.parts.map(({ path, digest }) => ({ path, digest, data: requirePart(data, digest) })),
  };
}

async function readDigests(tx: Transaction, scope: RuntimeScope, etag: string): Promise<ReadonlySet<string>> {
  const named = readEtag(etag);
  const environment = named && (await findEnvironment(tx, scope.projectId, scope.environment));
  if (named === undefined || environment == null) return new Set();
  const activation = await findActivation(tx, environment.id, named.activationSeq);
  // After a restore, another bundle may have the sequence number that the caller remembers.
  if (activation?.digest !== named.digest) return new Set();
  const bundle = await findBundle(tx, environment.id, activation.version);
  return new Set(bundle?.parts.map(({ digest }) => digest));
}

function sizeOf(found: LatestBundle | undefined): number {
  return found?.parts.reduce((sum, { data }) => sum + data.byteLength, 0) ?? 0;
}

function requirePart(data: ReadonlyMap<string, Uint8Array>, digest: string): Uint8Array {
  const bytes = data.get(digest);
  if (bytes === undefined) throw new Error(`the bytes of bundle part ${digest} are gone`);
  return bytes;
}

function keyOf({ orgId, projectId, environment }: RuntimeScope): string {
  return `${orgId}/${projectId}/${environment}`;
}
