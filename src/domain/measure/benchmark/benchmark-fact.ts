// What is known of the samples of a benchmark.

import type { Database } from "../../../store/connection/database.ts";
import { readFacts } from "../../../store/measure/benchmark/benchmark-result.ts";

/** Facts that one statement reads. */
const factsAtOnce = 5_000;

/** All facts of a run in the order of their samples, each as JSON. Pages are short transactions of their own. */
export async function allFacts(database: Database, orgId: string, runId: string): Promise<string[]> {
  const facts: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await database.read(orgId, (tx) => readFacts(tx, runId, { after, limit: factsAtOnce }));
    for (const { fact } of page) facts.push(fact);
    if (page.length < factsAtOnce) return facts;
    after = page.at(-1)?.sampleId;
  }
}
