// Candidates: a version that runtimes evaluate beside the active one and never enforce, so that its effect is known
// before it is activated. The signed activation names it; runtimes count where the two versions differ, and report the
// counts.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Outcome } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { Fault, notFound } from "../../kit/fault/fault.ts";
import { isUuid } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import { findBundle, loadParts, type StatementJson } from "../../store/bundle/bundle.ts";
import {
  addComparison,
  type CandidateCountRow,
  CandidateRow,
  type CandidateSampleRow,
  type Comparison,
  deleteCandidate,
  findCandidate,
  readComparison,
} from "../../store/bundle/candidate.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { findEnvironment } from "../../store/project/environment.ts";
import { requireEnvironment, requireLockedEnvironment, requireProject } from "../lookup.ts";
import { refreshActiveBundle } from "./activation.ts";
import { purgedBundle } from "./fault.ts";
import type { RuntimeScope } from "./latest.ts";
import type { EnvironmentPath } from "./lookup.ts";
import type { SigningKeys } from "./signing-keys.ts";

const hourMs = 3_600_000;

/** A candidate with its counts. */
export interface CandidateView {
  readonly candidate: CandidateRow;
  readonly isExpired: boolean;
  readonly counts: readonly CandidateCountRow[];
  readonly samples: readonly CandidateSampleRow[];
}

/** A candidate as runtimes fetch it. */
export interface CandidateBundle {
  readonly manifest: StatementJson;
  readonly parts: readonly { readonly path: string; readonly data: Uint8Array }[];
}

/** Starts, shows and drops candidates. */
export class Candidates {
  readonly #database: Database;
  readonly #keys: SigningKeys;

  constructor(database: Database, keys: SigningKeys) {
    this.#database = database;
    this.#keys = keys;
  }

  /** Makes a version the candidate of its environment, and replaces the former one. */
  start(
    caller: Caller,
    path: EnvironmentPath,
    { version, percent, hours }: { readonly version: number; readonly percent: number; readonly hours: number },
  ): Promise<CandidateView> {
    return this.#database.transaction(caller, async (tx) => {
      const environment = await requireLockedEnvironment(tx, path.projectId, path.environment);
      const bundle = await findBundle(tx, environment.id, version);
      if (bundle === null) throw notFound("bundle");
      if (bundle.purgedAt != null) throw purgedBundle(version);
      const { activeVersion } = environment;
      if (activeVersion == null) throw conflict("there is no active version to compare with; activate one first");
      if (activeVersion === version) throw conflict("this version is the active one");
      const previous = await findCandidate(tx, environment.id);
      const before = previous && auditView(previous);
      await deleteCandidate(tx, environment.id);
      const candidate = tx.em.create(CandidateRow, {
        ...{ orgId: tx.orgId, environmentId: environment.id, version, digest: bundle.digest, activeVersion, percent },
        ...{ startedBy: caller.credential.label, startedAt: tx.now, skipped: 0, failed: 0, loadFailure: null },
        expiresAt: new Date(tx.now.getTime() + hours * hourMs),
      });
      await tx.em.flush();
      await refreshActiveBundle(tx, this.#keys, environment);
      tx.changed({ resource: `environment/${environment.id}`, before, after: auditView(candidate) });
      return { candidate, isExpired: false, counts: [], samples: [] };
    });
  }

  /** The candidate, and how it compared. */
  get(caller: Caller, path: EnvironmentPath): Promise<CandidateView> {
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, path.projectId);
      const environment = await requireEnvironment(tx, path.projectId, path.environment);
      const candidate = await findCandidate(tx, environment.id);
      if (candidate === null) throw notFound("candidate");
      const isExpired = candidate.expiresAt <= tx.now;
      return { candidate, isExpired, ...(await readComparison(tx, environment.id)) };
    });
  }

  /** Drops the candidate. */
  drop(caller: Caller, path: EnvironmentPath): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const environment = await requireLockedEnvironment(tx, path.projectId, path.environment);
      const candidate = await findCandidate(tx, environment.id);
      if (candidate === null) throw notFound("candidate");
      const before = auditView(candidate);
      await deleteCandidate(tx, environment.id);
      await refreshActiveBundle(tx, this.#keys, environment);
      tx.changed({ resource: `environment/${environment.id}`, before, after: null });
    });
  }

  /** The candidate of a runtime's environment. */
  bundle(scope: RuntimeScope): Promise<CandidateBundle> {
    return this.#database.read(scope.orgId, async (tx) => {
      const environment = await findEnvironment(tx, scope.projectId, scope.environment);
      const candidate = environment && (await findCandidate(tx, environment.id));
      const bundle = candidate && (await findBundle(tx, candidate.environmentId, candidate.version));
      if (bundle == null) throw notFound("candidate");
      const digests = bundle.parts.map(({ digest }) => digest);
      const stored = await loadParts(tx, digests);
      const parts = bundle.parts.map(({ path, digest }) => {
        const data = stored.get(digest);
        if (data === undefined) throw new Error(`the bytes of bundle part ${digest} are gone`);
        return { path, data };
      });
      return { manifest: bundle.manifest, parts };
    });
  }

  /** Adds the counts of a runtime. Counts for another candidate than the present one are dropped. */
  async note(scope: RuntimeScope, tally: Comparison): Promise<void> {
    await this.#database.systemTransaction(scope.orgId, async (tx) => {
      const environment = await findEnvironment(tx, scope.projectId, scope.environment);
      if (environment !== null) await addComparison(tx, environment.id, sound(tally, tx));
    });
  }
}

const known = new Set<number>([Outcome.ALLOW, Outcome.FLAG, Outcome.REDACT, Outcome.BLOCK]);

// A runtime is run by the customer and may report anything: counts that cannot be are left out.
function sound(tally: Comparison, { now }: Transaction): Comparison {
  const isPair = ({ active, candidate }: { active: number; candidate: number }) =>
    known.has(active) && known.has(candidate);
  return {
    version: tally.version,
    digest: tally.digest.slice(0, 128).replaceAll("\0", ""),
    skipped: countOf(tally.skipped),
    failed: countOf(tally.failed),
    loadFailure: tally.loadFailure.replaceAll("\0", "").slice(0, 1024),
    pairs: tally.pairs.filter(isPair).map((pair) => ({ ...pair, count: countOf(pair.count) })),
    samples: tally.samples
      .filter((sample) => isPair(sample) && isUuid(sample.evaluationId))
      .map((sample) => ({
        ...sample,
        rule: sample.rule.replaceAll("\0", "").slice(0, 256),
        createdAt: sample.createdAt > now ? now : sample.createdAt,
      })),
  };
}

function countOf(value: number): number {
  return Number.isFinite(value) ? Math.min(1_000_000_000, Math.max(0, Math.round(value))) : 0;
}

function auditView({ version, percent, activeVersion, expiresAt }: CandidateRow) {
  return { candidate: version, percent, active_version: activeVersion, expires_at: expiresAt.toISOString() };
}

function conflict(message: string): Fault {
  return new Fault(Reason.CONFLICT, message);
}
