// How exactly a detector finds what lies where: by type, a finding counts when it overlaps what is there.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { type Share, shareOf } from "../../models/training/measure.ts";
import { compileDetectors } from "../../runtime/engine/scan/scanner.ts";
import { shippedModels } from "../../src/kit/process/model-file.ts";
import type { SpannedText } from "./generated/pii.ts";

/** Types of the sets that are made up. */
export const spanTypes = ["PHONE", "EMAIL", "CREDIT_CARD", "IBAN", "SSN", "IP", "URL"];

/** All types that the detector "pii" finds. */
export const allTypes = [
  ...spanTypes,
  ...["BANK_ROUTING", "BIC", "COORDINATES", "CRYPTO", "DATE_OF_BIRTH", "DRIVING_LICENCE", "EIN", "HEALTH_ID", "ITIN"],
  ...["MAC", "NATIONAL_ID", "PASSPORT", "TAX_ID", "VIN"],
];

const threshold = 0.5;

/**
 * The texts of a JSONL file with `text` and `spans` of `type`, `start` and `end`; `only` names the one type that a row
 * is labelled for.
 */
export function readSpans(path: string): (SpannedText & { readonly only?: string })[] {
  const bytes = readFileSync(path);
  const lines = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

/** Prints a row for each type. */
export function printSpans(
  title: string,
  texts: readonly (SpannedText & { readonly only?: string })[],
  types: readonly string[] = spanTypes,
): void {
  const scanner = compileDetectors([{ key: "pii", use: "pii", parameters: { entities: [...types] } }], {
    models: shippedModels(),
  });
  const tallies = new Map(types.map((type) => [type, { found: 0, there: 0, right: 0, reported: 0 }]));
  for (const { text, spans, only } of texts) {
    const findings = (scanner.scan(text).get("pii") ?? []).filter(({ score }) => score >= threshold);
    for (const [type, tally] of tallies) {
      if (only !== undefined && type !== only) continue;
      const found = findings.filter(({ category }) => category === `pii.${type.toLowerCase()}`);
      const there = spans.filter((span) => span.type === type);
      tally.there += there.length;
      tally.found += there.filter((span) => found.some(meets(span))).length;
      tally.reported += found.length;
      tally.right += found.filter((one) => there.some(meets(one))).length;
    }
  }
  console.log(
    `### ${title}: ${texts.length} texts\n\n| type | there | found % | reported | right % |\n| --- | --- | --- | --- | --- |`,
  );
  for (const [type, { found, there, right, reported }] of tallies)
    if (there + reported > 0)
      console.log(
        `| ${type} | ${there} | ${cell(shareOf(found, there))} | ${reported} | ${cell(shareOf(right, reported))} |`,
      );
  console.log();
}

interface Place {
  readonly start: number;
  readonly end: number;
}

function meets(one: Place): (other: Place) => boolean {
  return (other) => one.start < other.end && other.start < one.end;
}

function cell({ value, low, high, of }: Share): string {
  return of === 0 ? "" : `${(value * 100).toFixed(1)} (${(low * 100).toFixed(1)}–${(high * 100).toFixed(1)})`;
}
