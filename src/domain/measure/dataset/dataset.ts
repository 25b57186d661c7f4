// Datasets: texts with what is right about each of them.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, insufficientScope, notFound, validationFailed } from "../../../kit/fault/fault.ts";
import { newId } from "../../../kit/process/id.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import type { Page } from "../../../kit/rpc/page.ts";
import { gatesOfDataset } from "../../../store/bundle/gate.ts";
import type { Database } from "../../../store/connection/database.ts";
import { violatedUnique } from "../../../store/connection/driver-error.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import { baselinesOfDataset } from "../../../store/measure/benchmark/benchmark-baseline.ts";
import {
  countDatasets,
  type DatasetFilter,
  type DatasetLicence,
  DatasetRow,
  type DatasetVersionRow,
  deleteDataset,
  findDataset,
  findVersion,
  listDatasets,
  listVersions,
  lockDataset,
  newestDigests,
} from "../../../store/measure/dataset/dataset.ts";
import { digestSamples } from "../../../store/measure/dataset/dataset-sample.ts";
import { findOrganization } from "../../../store/tenancy/organization.ts";
import type { Plan } from "../../billing/plan.ts";
import { enqueueJob } from "../../job.ts";
import { requireProject } from "../../lookup.ts";
import { isUnchanged } from "../../unchanged.ts";

/** Datasets of an organization, by plan. */
export const datasetsPerPlan = { free: 10, growth: 100, enterprise: 1_000 } as const;
/** The largest metadata, as JSON. */
const maxMetadataBytes = 16 * 1024;

/** A licence that the caller accepts. */
export interface LicenceInput {
  readonly spdx: string;
  readonly url?: string | undefined;
}

/** The input for a new dataset. */
export interface DatasetInput {
  readonly name: string;
  readonly description?: string | undefined;
  readonly projectId?: string | undefined;
  readonly licence?: LicenceInput | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** What to change; the rest stays. */
export type DatasetUpdate = Partial<Omit<DatasetInput, "projectId">>;

/** A dataset with the digest of its newest version, if that has one. */
export interface Dataset {
  readonly row: DatasetRow;
  readonly digest: Buffer | null;
}

/** Creates, lists, changes and deletes datasets. */
export class Datasets {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A page of the datasets that the caller reaches. */
  list(
    caller: Caller,
    { projectId, query }: Pick<DatasetFilter, "projectId" | "query">,
    page: Page,
  ): Promise<[Dataset[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      const [rows, total] = await listDatasets(tx, { projectId, query, ...reachOf(caller) }, page);
      const digests = await newestDigests(tx, rows);
      return [rows.map((row) => ({ row, digest: digests.get(row.id) ?? null })), total];
    });
  }

  /** The dataset. */
  get(caller: Caller, id: string): Promise<Dataset> {
    return this.#database.read(caller.orgId, async (tx) => withDigest(tx, await requireDataset(tx, caller, id)));
  }

  /** Creates an empty dataset. */
  create(caller: Caller, input: DatasetInput): Promise<Dataset> {
    return namesAreUnique(
      this.#database.transaction(caller, async (tx) => {
        const row = await addDataset(tx, caller, { ...input, state: "ready", catalogId: null });
        return { row, digest: null };
      }),
    );
  }

  /** Changes what is given. */
  update(caller: Caller, id: string, change: DatasetUpdate): Promise<Dataset> {
    checkMetadata(change.metadata);
    return namesAreUnique(
      this.#database.transaction(caller, async (tx) => {
        const row = await requireLockedDataset(tx, caller, id);
        const before = auditView(row);
        const { name = row.name, description = row.description, metadata = row.metadata, licence } = change;
        const next = { name, description: description === "" ? null : description, metadata };
        const isAccepted = licence === undefined || isSameLicence(licence, row.licence);
        if (!isAccepted || !isUnchanged(row, next)) Object.assign(row, next, { updatedAt: tx.now });
        if (!isAccepted) row.licence = acceptedBy(caller, licence, tx.now);
        tx.changed({ resource: `dataset/${row.id}`, before, after: auditView(row) });
        await tx.em.flush();
        return withDigest(tx, row);
      }),
    );
  }

  /** Deletes the dataset with all of its versions. */
  delete(caller: Caller, id: string, { force }: { readonly force: boolean }): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const row = await requireLockedDataset(tx, caller, id);
      // Gates name it as it is stored; the caller may have written the id in upper case.
      if (!force) await requireUnused(tx, row.id);
      await deleteDataset(tx, row.id);
      await enqueueJob(tx, "purge-dataset", { org_id: tx.orgId, dataset_id: row.id });
      tx.changed({ resource: `dataset/${row.id}`, before: auditView(row), after: null });
    });
  }

  /** A page of the versions, newest first. */
  versions(caller: Caller, id: string, page: Page): Promise<[DatasetVersionRow[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      await requireDataset(tx, caller, id);
      return listVersions(tx, id, page);
    });
  }
}

/**
 * Throws while a gate names the dataset, or an approved baseline was measured on it: nothing could be compared with
 * that any more. Whoever sets gates or approves holds the dataset until the commit. Other benchmarks keep what they
 * found, and the digest of what they were measured on.
 */
async function requireUnused(tx: Transaction, id: string): Promise<void> {
  const gates = await gatesOfDataset(tx, id);
  const baselines = await baselinesOfDataset(tx, id);
  const uses = [
    ...gates.map(({ project, environment, gate }) => `the gate ${gate} of ${project}/${environment}`),
    ...baselines.map(({ project, environment, runId }) => `the baseline ${runId} of ${project}/${environment}`),
  ];
  if (uses.length === 0) return;
  const message = `the dataset is named by ${uses.join(", ")}; set gates without it and delete those benchmarks, or use force=true`;
  throw new Fault(Reason.DATASET_IN_USE, message);
}

/** A dataset to add. */
export interface NewDataset extends DatasetInput {
  readonly state: DatasetRow["state"];
  readonly catalogId: string | null;
  /** What the log of evidence says besides, such as what it is made of. */
  readonly origin?: JsonObject;
}

/** Adds a dataset within the limit of the organization's plan. */
export async function addDataset(tx: Transaction, caller: Caller, input: NewDataset): Promise<DatasetRow> {
  const { name, description = "", licence, metadata = {}, state, catalogId } = input;
  checkMetadata(metadata);
  const projectId = projectFor(caller, input.projectId);
  if (projectId !== null) await requireOwnProject(tx, projectId);
  await assertRoom(tx);
  const row = tx.em.create(DatasetRow, {
    ...{ orgId: tx.orgId, id: newId(), projectId, name, description: description === "" ? null : description },
    ...{ catalogId, licence: licence === undefined ? null : acceptedBy(caller, licence, tx.now), state },
    ...{ version: 0, sampleCount: 0, counts: { label: {}, stage: {}, language: {}, split: {} } },
    ...{ trainingOverlap: 0, everAdded: 0, sizeBytes: 0, metadata, createdAt: tx.now, updatedAt: tx.now },
  });
  await tx.em.flush();
  tx.changed({ resource: `dataset/${row.id}`, before: null, after: { ...auditView(row), ...input.origin } });
  return row;
}

/** The dataset, where the caller reaches it. */
export async function requireDataset(tx: Transaction, caller: Caller, id: string): Promise<DatasetRow> {
  return required(await findDataset(tx, id, reachOf(caller)));
}

/** The same, locked until the commit. */
export async function requireLockedDataset(tx: Transaction, caller: Caller, id: string): Promise<DatasetRow> {
  return required(await lockDataset(tx, id, reachOf(caller)));
}

/** The same for a change of its samples, which no import may be making at the time. */
export async function requireChangeable(tx: Transaction, caller: Caller, id: string): Promise<DatasetRow> {
  const row = await requireLockedDataset(tx, caller, id);
  assertNoImport(row);
  return row;
}

/** Throws while an import changes the dataset. */
export function assertNoImport({ state }: DatasetRow): void {
  if (state !== "importing") return;
  throw new Fault(Reason.CONFLICT, "an import is adding samples to this dataset; wait until it has ended");
}

/**
 * The digest of a version, for whatever uses the version: it is made once, and again after an erasure. Needs a
 * transaction that may write.
 */
export async function versionDigest(tx: Transaction, datasetId: string, version: number): Promise<Buffer> {
  const row = await findVersion(tx, datasetId, version);
  if (row?.digest != null) return Buffer.from(row.digest);
  const digest = await digestSamples(tx, datasetId, version);
  if (row !== null) row.digest = digest;
  return digest;
}

/** The dataset with the digest of its newest version. */
export async function withDigest(tx: Transaction, row: DatasetRow): Promise<Dataset> {
  return { row, digest: (await newestDigests(tx, [row])).get(row.id) ?? null };
}

/** Which datasets a caller reaches. */
export function reachOf({ credential }: Caller): { readonly reachedProjectId: string | undefined } {
  return { reachedProjectId: credential.projectId };
}

/** Tells a taken name from other failures. */
export async function namesAreUnique<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (violatedUnique(error) !== "dataset_name") throw error;
    throw new Fault(Reason.ALREADY_EXISTS, "a dataset with this name exists; choose another name", { cause: error });
  }
}

/** The dataset as the log of evidence shows it. */
export function auditView(row: DatasetRow): JsonObject {
  const { name, description, projectId, catalogId, licence, state, version, metadata } = row;
  return {
    ...{ name, description: description ?? null, project_id: projectId ?? null, catalog_id: catalogId ?? null },
    ...{ licence: licence == null ? null : { ...licence }, state, version, metadata },
  };
}

function required(row: DatasetRow | null): DatasetRow {
  if (row === null) throw notFound("dataset");
  return row;
}

function projectFor({ credential }: Caller, wanted: string | undefined): string | null {
  const own = credential.projectId?.toLowerCase();
  const named = wanted?.toLowerCase();
  if (own !== undefined && named !== undefined && named !== own)
    throw insufficientScope("this token is for another project");
  return named ?? own ?? null;
}

async function requireOwnProject(tx: Transaction, id: string): Promise<void> {
  try {
    await requireProject(tx, id);
  } catch {
    throw validationFailed([{ field: "project_id", message: "there is no such project in this organization" }]);
  }
}

async function assertRoom(tx: Transaction): Promise<void> {
  const { plan }: { readonly plan: Plan } = await findOrganization(tx);
  const limit = datasetsPerPlan[plan];
  if ((await countDatasets(tx)) < limit) return;
  const message = `on the plan ${plan} an organization has at most ${limit} datasets; delete one, or change the plan`;
  throw new Fault(Reason.LIMIT_REACHED, message, { extra: { limit, plan } });
}

function checkMetadata(metadata: JsonObject = {}): void {
  if (Buffer.byteLength(JSON.stringify(metadata)) <= maxMetadataBytes) return;
  throw validationFailed([{ field: "metadata", message: `is larger than ${maxMetadataBytes} bytes as JSON` }]);
}

/** Whether it is the licence that was accepted already. Who accepted it first is who accepted it. */
function isSameLicence({ spdx, url }: LicenceInput, accepted: DatasetLicence | null | undefined): boolean {
  return accepted != null && accepted.spdx === spdx && accepted.url === (url ?? null);
}

function acceptedBy({ credential }: Caller, { spdx, url }: LicenceInput, now: Date): DatasetLicence {
  return { spdx, url: url ?? null, accepted_by: credential.label, accepted_at: now.toISOString() };
}
