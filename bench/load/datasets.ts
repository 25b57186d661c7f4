// Datasets of a control plane, made over REST as callers make them.

import type { BenchControlPlane } from "../server/control-plane.ts";

/** A dataset, and how many samples went into it. */
export interface MadeDataset {
  readonly id: string;
  readonly added: number;
}

/** Samples as JSONL: every other one is an attack. */
export function samplesOf(texts: readonly string[]): Buffer<ArrayBuffer> {
  const lines = texts.map((text, at) => {
    const labels = [at % 2 === 0 ? "attack" : "benign"];
    return `${JSON.stringify({ text, labels, language: "en", split: "test", group: `group-${at % 100}` })}\n`;
  });
  return Buffer.from(lines.join(""));
}

/** Makes a dataset of these lines. */
export async function importDataset(
  plane: BenchControlPlane,
  name: string,
  lines: Buffer<ArrayBuffer>,
): Promise<MadeDataset> {
  const { id } = await ask(plane, "/datasets", {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
  const { added } = await ask(plane, `/datasets/${id}/import`, {
    headers: { "content-type": "application/x-ndjson" },
    body: lines,
  });
  return { id, added };
}

async function ask({ port, orgId, adminToken }: BenchControlPlane, path: string, { headers, body }: RequestInit) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/orgs/${orgId}${path}`, {
    ...{ method: "POST", body: body ?? null },
    headers: { authorization: `Bearer ${adminToken}`, ...headers },
  });
  if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
  return response.json();
}
