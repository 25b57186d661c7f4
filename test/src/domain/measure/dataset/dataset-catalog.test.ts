import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Reason } from "../../../../../gen/policyguard/common/v1/reason_pb.ts";
import { datasetCatalog, shippedFile } from "../../../../../src/domain/measure/dataset/dataset-catalog.ts";
import { shippedTrainingTexts } from "../../../../../src/domain/measure/dataset/training-text.ts";
import { comparableText } from "../../../../../src/kit/crypto/text-hash.ts";
import { productFolder } from "../../../../../src/kit/process/product-folder.ts";

const shipped = datasetCatalog().filter(({ kind }) => kind === "builtin");

interface Sample {
  readonly external_id: string;
  readonly text: string;
  readonly labels: readonly string[];
  readonly expected_outcome?: string;
  readonly split: string;
}

function samplesOf(name: string): Sample[] {
  const file = gunzipSync(readFileSync(join(productFolder("models"), "datasets", `${name}.jsonl.gz`)));
  return file
    .toString("utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("a dataset that ships", () => {
  it.each(shipped.map((entry) => [entry.name, entry] as const))("%s is as the catalog says", (name, entry) => {
    const samples = samplesOf(name);
    expect(samples).toHaveLength(entry.rows);
    expect(new Set(samples.map(({ external_id }) => external_id)).size).toBe(entry.rows);
    expect([...new Set(samples.flatMap(({ labels }) => labels))].sort()).toEqual(entry.labels);
    const bytes = readFileSync(join(productFolder("models"), "datasets", `${name}.jsonl.gz`));
    expect(entry.files).toEqual([
      { name: `${name}.jsonl.gz`, format: "jsonl", sha256: createHash("sha256").update(bytes).digest("hex") },
    ]);
    expect(entry.licence.spdx).toBe("LicenseRef-policy-guard");
    const texts = shippedTrainingTexts();
    const trained = samples.filter(({ text }) => texts.has(comparableText(text))).length;
    const trainedOn = trained === 0 ? "none" : trained < samples.length ? "partly" : "wholly";
    expect([name, entry.trainedOn]).toEqual([name, trainedOn]);
  });

  it("was trained on if it is the corpus, and has no attack if it shows over-defence", () => {
    const entry = (wanted: string) => shipped.find(({ name }) => name === wanted);
    expect(entry("injection-corpus")).toMatchObject({ trainedOn: "wholly", labels: ["attack", "benign"] });
    expect(new Set(samplesOf("injection-corpus").map(({ split }) => split))).toEqual(new Set(["train"]));
    expect(entry("over-defence")).toMatchObject({ labels: ["benign"] });
    expect(samplesOf("over-defence").every(({ expected_outcome }) => expected_outcome === "ALLOW")).toBe(true);
  });

  it("is not read to its end when its file has other bytes than the catalog says", async () => {
    const [entry] = shipped;
    const [file] = entry?.files ?? [];
    if (entry === undefined || file === undefined) throw new Error("the catalog has entries with files");
    const other = { ...entry, files: [{ ...file, sha256: "0".repeat(64) }] };
    await expect(Array.fromAsync(shippedFile(other))).rejects.toMatchObject({ reason: Reason.DIGEST_MISMATCH });
  });
});
