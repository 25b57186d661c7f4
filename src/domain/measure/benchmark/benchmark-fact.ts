// What is known of the samples of runs. Facts have what datasets and uploads say in them, so a hundred thousand may be
// of any size: they are counted in bytes before they are read.

import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../../kit/fault/fault.ts";
import type { Database } from "../../../store/connection/database.ts";
import { countFactBytes, readFacts } from "../../../store/measure/benchmark/benchmark-result.ts";

/** Facts that one statement reads. */
const factsAtOnce = 5_000;

/** Bytes of facts that are held at once: of a benchmark, or of two that are compared. */
export const maxFactBytes = 256 * 2 ** 20;

/** All facts of runs, each in the order of its samples and as JSON. Pages are short transactions of their own. */
export async function allFacts(
  database: Database,
  { orgId, runIds, maxBytes = maxFactBytes }: FactsOfRuns,
): Promise<string[][]> {
  const bytes = await database.read(orgId, (tx) => countFactBytes(tx, runIds));
  if (bytes > maxBytes) throw tooManyBytes(maxBytes);
  const all: string[][] = [];
  for (const runId of runIds) all.push(await factsOf(database, orgId, runId));
  return all;
}

/** Whose facts, and how many of them at most. */
export interface FactsOfRuns {
  readonly orgId: string;
  readonly runIds: readonly string[];
  /** Default: 256 MiB. Others are for tests. */
  readonly maxBytes?: number | undefined;
}

async function factsOf(database: Database, orgId: string, runId: string): Promise<string[]> {
  const facts: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await database.read(orgId, (tx) => readFacts(tx, runId, { after, limit: factsAtOnce }));
    for (const { fact } of page) facts.push(fact);
    if (page.length < factsAtOnce) return facts;
    after = page.at(-1)?.sampleId;
  }
}

/** Bytes of memory that a fact takes at most, as they are counted of those that are stored. */
export function heldBytes(fact: string): number {
  const bytes = Buffer.byteLength(fact);
  return bytes > fact.length ? bytes + fact.length : bytes;
}

/** The refusal of more facts than are held at once. */
export function tooManyBytes(maxBytes: number): Fault {
  const message =
    `labels, rules and spans of all samples take more than ${Math.floor(maxBytes / 2 ** 20)} MiB: ` +
    "narrow the filter, or say less of each sample";
  return new Fault(Reason.LIMIT_REACHED, message, { extra: { limit: maxBytes } });
}
