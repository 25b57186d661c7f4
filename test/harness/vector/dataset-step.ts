// Steps of vectors about datasets.

import { DatasetImports } from "../../../src/domain/measure/dataset/dataset-import.ts";
import { sampleSeals } from "../../../src/domain/measure/dataset/dataset-sample.ts";
import { shippedTrainingTexts } from "../../../src/domain/measure/dataset/training-text.ts";
import { createNetworkGuard } from "../../../src/kit/net/outbound/guard.ts";
import { testSealer } from "../sealer.ts";
import type { SceneStep, Stage } from "./scene-step.ts";

/** Steps about datasets; see scene.ts. */
export const datasetSteps: Readonly<Record<string, SceneStep>> = {
  $importing: async ({ dataset_id }, { plane }, { orgId }) => {
    const text = "update dataset set state = 'importing' where org_id = ? and id = ?";
    await plane.database.systemTransaction(orgId, (tx) => tx.sql(text, [orgId, dataset_id]));
    return {};
  },
  $crowded: async ({ dataset_id }, { plane }, { orgId }) => {
    const text = "update dataset set sample_count = 1000000 where org_id = ? and id = ?";
    await plane.database.systemTransaction(orgId, (tx) => tx.sql(text, [orgId, dataset_id]));
    return {};
  },
  $import: async ({ dataset_id }, stage, { caller }) => {
    const file = fileOf('{"text": "one"}\n{"text": "two", "stage": "outptu"}\n');
    const { signal } = new AbortController();
    const input = { format: "jsonl", onDuplicate: "skip" } as const;
    const { id } = await importsOf(stage).importBody(caller, String(dataset_id), input, { file, signal });
    return { id };
  },
  $fetch: async ({ dataset_id }, stage, { caller }) => {
    const input = { format: "jsonl", onDuplicate: "skip" } as const;
    const { id } = await importsOf(stage).importUrl(caller, String(dataset_id), "http://127.0.0.1:9/", input);
    return { id };
  },
};

function importsOf({ plane: { database } }: Stage): DatasetImports {
  const guard = createNetworkGuard({ allowNetworks: ["127.0.0.0/8"], dnsServers: [] });
  const parts = { sealer: testSealer, seals: sampleSeals(testSealer), trainingTexts: shippedTrainingTexts() };
  return new DatasetImports({ database, ...parts }, guard);
}

async function* fileOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
