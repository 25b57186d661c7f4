import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../kit/rpc/page.ts";
import { tenantTable } from "../core/tenant.ts";
import type { Transaction } from "../core/transaction.ts";

/** A model that the machine of a runtime runs. */
export interface RuntimeModel {
  readonly name: string;
  /** "ready", "loading", or why it is out. */
  readonly state: string;
  /** Empty before its files were read. */
  readonly digest: string;
}

/** What the operator of a runtime says about it, to be found by. */
export type Labels = Readonly<Record<string, string>>;

const schema = defineEntity({
  name: "RuntimeInstance",
  tableName: "runtime_instance",
  ...tenantTable,
  properties: {
    orgId: p.uuid().primary(),
    projectId: p.uuid().primary(),
    environment: p.text().primary(),
    /** Chosen by the runtime. Part of a longer key, so that no runtime can speak for another environment's. */
    id: p.uuid().primary(),
    softwareVersion: p.text(),
    bundleVersion: p.integer().default(0),
    activationSeq: p.integer().default(0),
    /** Why the newest bundle was refused; empty when it was not. */
    rejection: p.text().default(""),
    /** Keys of the detector backends to which the runtime sends nothing. */
    refusedBackends: p.array().columnType("text[]").defaultRaw("'{}'"),
    /** The models that its machine runs. */
    models: p.json<RuntimeModel[]>().defaultRaw("'[]'"),
    /** What its operator says about it. */
    labels: p.json<Labels>().defaultRaw("'{}'"),
    /** Evaluations that wait in the runtime's spool. */
    spoolDepth: p.bigint("number").default(0),
    /** Evaluations of it that were stored. */
    evaluations: p.bigint("number").default(0),
    /** Entries of the checkpoint of the log of evidence that it keeps, and the epoch; 0 before its first. */
    witnessedSize: p.bigint("number").default(0),
    witnessedEpoch: p.integer().default(0),
    /** Since when it reports that the log contradicts what it keeps. */
    evidenceForkedAt: p.datetime(3).nullable(),
    firstSeenAt: p.datetime(3),
    lastSeenAt: p.datetime(3),
  },
});

/** A runtime process that has enrolled. */
export class RuntimeInstanceRow extends schema.class {}
schema.setClass(RuntimeInstanceRow);

/** The key of a runtime. */
export interface InstanceKey {
  readonly projectId: string;
  readonly environment: string;
  readonly instanceId: string;
}

/** The status of a runtime. */
export interface InstanceStatus {
  readonly bundleVersion: number;
  readonly activationSeq: number;
  readonly rejection: string;
  readonly refusedBackends: readonly string[];
  readonly models: readonly RuntimeModel[];
  readonly labels: Labels;
  readonly spoolDepth: number;
  readonly witnessedSize: number;
  readonly witnessedEpoch: number;
  readonly isEvidenceForked: boolean;
}

/** Records that a runtime exists. */
export async function touchInstance(tx: Transaction, key: InstanceKey, softwareVersion: string): Promise<void> {
  await tx.sql(
    `insert into runtime_instance
       (org_id, project_id, environment, id, software_version, first_seen_at, last_seen_at) values (?, ?, ?, ?, ?, ?, ?)
     on conflict (org_id, project_id, environment, id) do update
       set software_version = excluded.software_version, last_seen_at = excluded.last_seen_at`,
    [tx.orgId, key.projectId, key.environment, key.instanceId, softwareVersion, tx.now, tx.now],
  );
}

/** Records the status of a runtime. False when the runtime is unknown, because it never enrolled or was forgotten. */
export async function writeInstanceStatus(tx: Transaction, key: InstanceKey, status: InstanceStatus): Promise<boolean> {
  const rows = await tx.sql(
    `update runtime_instance set bundle_version = ?, activation_seq = ?, rejection = ?, spool_depth = ?, last_seen_at = ?,
       refused_backends = array(select jsonb_array_elements_text(?::jsonb)), models = ?::jsonb, labels = ?::jsonb, witnessed_size = ?, witnessed_epoch = ?,
       evidence_forked_at = case when ? then coalesce(evidence_forked_at, ?) end
     where org_id = ? and project_id = ? and environment = ? and id = ? returning id`,
    [
      status.bundleVersion,
      status.activationSeq,
      status.rejection,
      status.spoolDepth,
      tx.now,
      JSON.stringify(status.refusedBackends),
      JSON.stringify(status.models),
      JSON.stringify(status.labels),
      ...[status.witnessedSize, status.witnessedEpoch, status.isEvidenceForked, tx.now],
      tx.orgId,
      key.projectId,
      key.environment,
      key.instanceId,
    ],
  );
  return rows.length > 0;
}

/** Counts evaluations of a runtime that were stored. Nothing is counted for one that was forgotten. */
export function countInstanceEvaluations(tx: Transaction, key: InstanceKey, evaluations: number): void {
  tx.writeAtEnd(
    `update runtime_instance set evaluations = evaluations + ?
     where org_id = ? and project_id = ? and environment = ? and id = ?`,
    [evaluations, tx.orgId, key.projectId, key.environment, key.instanceId],
  );
}

/** The state of a runtime, compared with its environment's activation. */
export type InstanceState = "active" | "behind" | "rejected";

/** A runtime, as it is listed. */
export type ListedInstance = Pick<
  RuntimeInstanceRow,
  | "id"
  | "environment"
  | "softwareVersion"
  | "bundleVersion"
  | "activationSeq"
  | "rejection"
  | "refusedBackends"
  | "models"
  | "labels"
  | "spoolDepth"
  | "evaluations"
  | "witnessedSize"
  | "witnessedEpoch"
  | "evidenceForkedAt"
  | "firstSeenAt"
  | "lastSeenAt"
> & { readonly state: InstanceState };

// A runtime without a bundle is behind, even where the environment has no active bundle.
const listed = `
  select runtime_instance.*, case
    when rejection <> '' then 'rejected'
    when runtime_instance.activation_seq = 0 or runtime_instance.activation_seq < environment.activation_seq then 'behind'
    else 'active' end as state
  from runtime_instance join environment
    on environment.org_id = runtime_instance.org_id and environment.project_id = runtime_instance.project_id
      and environment.name = runtime_instance.environment
  where runtime_instance.org_id = ? and runtime_instance.project_id = ?`;

/** A runtime of the organization, and what it has witnessed of the log of evidence. */
export interface KnownInstance {
  readonly id: string;
  readonly environment: string;
  readonly witnessedSize: number;
  /** Whether it says that the log contradicts what it keeps. */
  readonly isForked: boolean;
}

/** The runtimes of the organization, at most a thousand. */
export async function listKnownInstances(tx: Transaction): Promise<KnownInstance[]> {
  const rows = await tx.em.find(
    RuntimeInstanceRow,
    { orgId: tx.orgId },
    { orderBy: { environment: "asc", id: "asc" }, limit: 1_000 },
  );
  return rows.map(({ id, environment, witnessedSize, evidenceForkedAt }) => {
    return { id, environment, witnessedSize, isForked: evidenceForkedAt != null };
  });
}

/** Which runtimes are wanted; undefined is any. */
export interface InstanceFilter {
  readonly state?: InstanceState | undefined;
  /** Version of the bundle that they enforce; 0 for those that have none. */
  readonly bundleVersion?: number | undefined;
  readonly softwareVersion?: string | undefined;
  /** All of these they have. */
  readonly labels?: Labels | undefined;
  /** Whether they report that the log of evidence contradicts what they keep. */
  readonly isForked?: boolean | undefined;
  /** Whether they have reported since the time from which they count as connected. */
  readonly isConnected?: boolean | undefined;
}

/** How many runtimes stand how; those that are not connected are silent. */
export type InstanceCounts = Readonly<Record<InstanceState | "silent", number>>;

/** The runtimes of a project or, with an environment, of that one. */
export interface InstanceScope {
  readonly projectId: string;
  readonly environment?: string | undefined;
}

/** A page of runtimes. */
export interface InstancePage {
  readonly instances: readonly ListedInstance[];
  readonly total: number;
  /** All that the filter matches, whatever it says of their state and of being connected. */
  readonly counts: InstanceCounts;
}

/** A page of the runtimes, the one that reported last first. They are connected when they reported after `since`. */
export async function listInstances(
  tx: Transaction,
  scope: InstanceScope,
  { limit, offset, since, ...filter }: Page & InstanceFilter & { readonly since: Date },
): Promise<InstancePage> {
  const { state, isConnected, ...others } = filter;
  const among = instancesOf(tx, scope, others);
  const standing = instancesOf(tx, scope, others, [
    { condition: "state = ?", value: state },
    { condition: "(last_seen_at > ?) = ?", value: isConnected === undefined ? undefined : [since, isConnected] },
  ]);
  const [counted] = await tx.sql<Readonly<Record<keyof InstanceCounts, string>>>(
    `select count(*) filter (where last_seen_at <= ?) as silent, ${connectedStates} from ${among.from}`,
    [since, ...connectedOnes.map(() => since), ...among.parameters],
  );
  const [found] = await tx.sql<{ total: string }>(
    `select count(*) as total from ${standing.from}`,
    standing.parameters,
  );
  const rows = await tx.sql<InstanceColumns>(
    `select * from ${standing.from} order by last_seen_at desc, id limit ? offset ?`,
    [...standing.parameters, limit, offset],
  );
  const countOf = (name: keyof InstanceCounts) => Number(counted?.[name] ?? 0);
  return {
    instances: rows.map(listedInstance),
    total: Number(found?.total ?? 0),
    counts: {
      ...{ active: countOf("active"), behind: countOf("behind") },
      ...{ rejected: countOf("rejected"), silent: countOf("silent") },
    },
  };
}

const connectedOnes: readonly InstanceState[] = ["active", "behind", "rejected"];
const connectedStates = connectedOnes
  .map((state) => `count(*) filter (where last_seen_at > ? and state = '${state}') as ${state}`)
  .join(", ");

interface Wish {
  readonly condition: string;
  /** One for each placeholder; undefined where nothing is asked. */
  readonly value: unknown;
}

/** The runtimes that match, as SQL and its parameters. */
function instancesOf(
  tx: Transaction,
  { projectId, environment }: InstanceScope,
  filter: Omit<InstanceFilter, "state" | "isConnected">,
  further: readonly Wish[] = [],
): { readonly from: string; readonly parameters: readonly unknown[] } {
  const wished = [
    { condition: "environment = ?", value: environment },
    { condition: "bundle_version = ?", value: filter.bundleVersion },
    { condition: "software_version = ?", value: filter.softwareVersion },
    { condition: "labels @> ?::jsonb", value: filter.labels && JSON.stringify(filter.labels) },
    { condition: "(evidence_forked_at is not null) = ?", value: filter.isForked },
    ...further,
  ].filter(({ value }) => value !== undefined);
  const wanted = wished.length === 0 ? "" : `where ${wished.map(({ condition }) => condition).join(" and ")}`;
  return {
    from: `(${listed}) as listed ${wanted}`,
    parameters: [tx.orgId, projectId, ...wished.flatMap(({ value }) => value)],
  };
}

interface InstanceColumns {
  readonly id: string;
  readonly environment: string;
  readonly software_version: string;
  readonly bundle_version: number;
  readonly activation_seq: number;
  readonly rejection: string;
  readonly refused_backends: string[];
  readonly models: RuntimeModel[];
  readonly labels: Labels;
  readonly spool_depth: string;
  readonly evaluations: string;
  readonly witnessed_size: string;
  readonly witnessed_epoch: number;
  readonly evidence_forked_at: Date | null;
  readonly first_seen_at: Date;
  readonly last_seen_at: Date;
  readonly state: InstanceState;
}

function listedInstance({ id, environment, rejection, state, ...row }: InstanceColumns): ListedInstance {
  return {
    ...{ id, environment, rejection, state },
    softwareVersion: row.software_version,
    bundleVersion: row.bundle_version,
    activationSeq: row.activation_seq,
    refusedBackends: row.refused_backends,
    models: row.models,
    labels: row.labels,
    spoolDepth: Number(row.spool_depth),
    evaluations: Number(row.evaluations),
    witnessedSize: Number(row.witnessed_size),
    witnessedEpoch: row.witnessed_epoch,
    evidenceForkedAt: row.evidence_forked_at,
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
  };
}

/** Deletes the runtime. Returns the version of its software; undefined when there is no such runtime. */
export async function forgetInstance(tx: Transaction, key: InstanceKey): Promise<string | undefined> {
  const [row] = await tx.sql<{ software_version: string }>(
    `delete from runtime_instance where org_id = ? and project_id = ? and environment = ? and id = ?
     returning software_version`,
    [tx.orgId, key.projectId, key.environment, key.instanceId],
  );
  return row?.software_version;
}

/** The runtime, or null. */
export function findInstance(tx: Transaction, key: InstanceKey): Promise<RuntimeInstanceRow | null> {
  const { instanceId, ...path } = key;
  return tx.em.findOne(RuntimeInstanceRow, { orgId: tx.orgId, ...path, id: instanceId });
}
