// What came of the samples of benchmarks, one row each. A row names a sample and has no text; an erasure removes it
// with its sample.

import { defineEntity, p } from "@mikro-orm/core";
import type { Page } from "../../../kit/rpc/page.ts";
import { insertRows, runBound } from "../../core/bulk.ts";
import { tenantTable } from "../../core/tenant.ts";
import type { Transaction } from "../../core/transaction.ts";

const schema = defineEntity({
  name: "BenchmarkResult",
  tableName: "benchmark_result",
  ...tenantTable,
  indexes: [{ name: "benchmark_result_sample", properties: ["orgId", "sampleId"] }],
  properties: {
    orgId: p.uuid().primary(),
    runId: p.uuid().primary(),
    sampleId: p.uuid().primary(),
    verdict: p.text(),
    /** Whether other spans were found than the sample states. */
    hasWrongSpans: p.boolean(),
    /** What is known of the sample, as JSON. Measures know the form. */
    fact: p.text(),
  },
});

/** What came of one sample. */
export class BenchmarkResultRow extends schema.class {}
schema.setClass(BenchmarkResultRow);

/** A result to keep. */
export type NewBenchmarkResult = Pick<BenchmarkResultRow, "sampleId" | "verdict" | "hasWrongSpans" | "fact">;

/** Adds results to a run; one of a sample that has one takes its place. */
export async function addBenchmarkResults(
  tx: Transaction,
  runId: string,
  results: readonly NewBenchmarkResult[],
): Promise<void> {
  await insertRows(tx, {
    table: "benchmark_result",
    columns: ["org_id", "run_id", "sample_id", "verdict", "has_wrong_spans", "fact"],
    rows: results.map(({ sampleId, verdict, hasWrongSpans, fact }) => [
      ...[tx.orgId, runId, sampleId, verdict, hasWrongSpans, fact],
    ]),
    suffix: `on conflict (org_id, run_id, sample_id) do update set verdict = excluded.verdict,
      has_wrong_spans = excluded.has_wrong_spans, fact = excluded.fact`,
  });
}

/** Which of these samples have a result. */
export async function resultsAmong(tx: Transaction, runId: string, sampleIds: readonly string[]): Promise<string[]> {
  const rows = await runBound<{ id: string }>(
    tx,
    "select sample_id as id from benchmark_result where org_id = $1 and run_id = $2 and sample_id = any($3::uuid[])",
    [tx.orgId, runId, sampleIds],
  );
  return rows.map(({ id }) => id);
}

/** How a result differs from what is right. */
export type ResultMismatch = "fp" | "fn" | "span" | "missing";

/** Which results of a run; all that is given holds. */
export interface ResultFilter {
  readonly mismatch?: ResultMismatch | undefined;
  readonly verdict?: string | undefined;
  /** Exactly the rules that matched, in any order. */
  readonly rules?: readonly string[] | undefined;
}

const filtered = `org_id = $1 and run_id = $2
  and case when $3::text is null then true when $3 = 'span' then has_wrong_spans else verdict = $3 end
  and ($4::text is null or verdict = $4)
  and ($5::jsonb is null or fact::jsonb -> 'rules' @> $5 and $5 @> (fact::jsonb -> 'rules'))`;

function filteredBy(tx: Transaction, runId: string, { mismatch, verdict, rules }: ResultFilter): (string | null)[] {
  return [tx.orgId, runId, mismatch ?? null, verdict ?? null, rules === undefined ? null : JSON.stringify(rules)];
}

/** A page of a run's results in the order of their samples, and their count. */
export async function listBenchmarkResults(
  tx: Transaction,
  runId: string,
  { offset, limit, ...filter }: Page & ResultFilter,
): Promise<[Pick<BenchmarkResultRow, "verdict" | "fact">[], number]> {
  const values = filteredBy(tx, runId, filter);
  const rows = await runBound<Pick<BenchmarkResultRow, "verdict" | "fact">>(
    tx,
    `select verdict, fact from benchmark_result where ${filtered} order by sample_id limit $6 offset $7`,
    [...values, limit, offset],
  );
  const counted = await runBound<{ total: number }>(
    tx,
    `select count(*)::int as total from benchmark_result where ${filtered}`,
    values,
  );
  return [rows, counted[0]?.total ?? 0];
}

/** How many results the same rules matched, the most frequent first. */
export async function groupBenchmarkResults(
  tx: Transaction,
  runId: string,
  { limit, ...filter }: ResultFilter & { readonly limit: number },
): Promise<{ readonly rules: string[]; readonly count: number }[]> {
  return runBound(
    tx,
    // Findings, and with them rules, stand in the order of their places in the sample.
    `select to_jsonb(array(select jsonb_array_elements_text(fact::jsonb -> 'rules') order by 1)) as rules,
       count(*)::int as count
     from benchmark_result where ${filtered} group by 1 order by 2 desc, 1 limit $6`,
    [...filteredBy(tx, runId, filter), limit],
  );
}

/** What is known of a run's samples, in their order, after one of them. */
export async function readFacts(
  tx: Transaction,
  runId: string,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<{ readonly sampleId: string; readonly fact: string }[]> {
  return runBound(
    tx,
    `select sample_id as "sampleId", fact from benchmark_result
     where org_id = $1 and run_id = $2 and ($3::uuid is null or sample_id > $3) order by sample_id limit $4`,
    [tx.orgId, runId, after ?? null, limit],
  );
}

/**
 * How many bytes of memory the facts of these runs take at most, with no need to read them: a text has one byte for each
 * ASCII character, and two for each unit as soon as another character is in it.
 */
export async function countFactBytes(tx: Transaction, runIds: readonly string[]): Promise<number> {
  const rows = await runBound<{ bytes: string }>(
    tx,
    `select coalesce(sum(octet_length(fact)
         + case when octet_length(fact) > char_length(fact) then char_length(fact) else 0 end), 0) as bytes
     from benchmark_result where org_id = $1 and run_id = any($2::uuid[])`,
    [tx.orgId, runIds],
  );
  return Number(rows[0]?.bytes ?? 0);
}

/** Removes what came of these samples, in every benchmark. */
export async function eraseBenchmarkResults(tx: Transaction, sampleIds: readonly string[]): Promise<void> {
  await runBound(tx, "delete from benchmark_result where org_id = $1 and sample_id = any($2::uuid[])", [
    ...[tx.orgId, sampleIds],
  ]);
}

/** Deletes the results of runs that were made before the moment. Returns how many. */
export async function deleteBenchmarkResultsBefore(tx: Transaction, moment: Date): Promise<number> {
  const rows = await runBound<{ gone: number }>(
    tx,
    `with gone as (
       delete from benchmark_result using run where benchmark_result.org_id = $1 and run.org_id = $1
         and run.id = benchmark_result.run_id and run.created_at < $2 returning 1)
     select count(*)::int as gone from gone`,
    [tx.orgId, moment],
  );
  return rows[0]?.gone ?? 0;
}
