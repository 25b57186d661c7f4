// Finds the bundles that a request names. What does not exist is a 404; what has no content anymore is a conflict.

import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, notFound } from "../../kit/fault/fault.ts";
import { type BundleRow, findBundle } from "../../store/bundle/bundle.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import type { EnvironmentRow } from "../../store/project/environment.ts";
import { requireEnvironment } from "../lookup.ts";
import { purgedBundle } from "./fault.ts";

/** The environment that a call is about. */
export interface EnvironmentPath {
  readonly projectId: string;
  readonly environment: string;
}

/** The bundle of this version. */
export async function requireBundle(tx: Transaction, environment: EnvironmentRow, version: number): Promise<BundleRow> {
  const bundle = await findBundle(tx, environment.id, version);
  if (bundle === null) throw notFound("bundle");
  return bundle;
}

/** The same with its content. */
export async function requireContent(
  tx: Transaction,
  environment: EnvironmentRow,
  version: number,
): Promise<BundleRow> {
  const bundle = await requireBundle(tx, environment, version);
  if (bundle.purgedAt != null) throw purgedBundle(version);
  return bundle;
}

/** The bundle with its content: the given version, or the active one. */
export async function requireNamedOrActive(
  tx: Transaction,
  { projectId, environment: name }: EnvironmentPath,
  version: number | undefined,
): Promise<BundleRow> {
  const source = await requireEnvironment(tx, projectId, name);
  const wanted = version ?? source.activeVersion;
  if (wanted == null) throw new Fault(Reason.CONFLICT, `${name} has no active bundle; activate one or name a version`);
  return requireContent(tx, source, wanted);
}
