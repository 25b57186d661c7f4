// Long texts are swept a part at a time. What is found in them is what is found by a detector that sees all at once.

import { describe, expect, it } from "vitest";
import { type Random, seededRandom } from "../../../../runtime/engine/authoring/seeded-random.ts";
import { catalog } from "../../../../runtime/engine/detectors/catalog.ts";
import type { Sweep } from "../../../../runtime/engine/detectors/detector-plan.ts";
import type { Finding } from "../../../../runtime/engine/detectors/finding.ts";
import { compileDetectors } from "../../../../runtime/engine/scan/scanner.ts";
import { planOf } from "../../../../runtime/engine/scan/spec-plan.ts";
import { oneOf } from "../stream/sample-stream.ts";

const entities = catalog.find(({ id }) => id === "pii")?.entities ?? [];
const parts = [
  ...[
    "4111 1111 1111 1111",
    "DE89 3704 0044 0532 0130 00",
    "call +49 30 1234567",
    "078-05-1120",
    "192.0.2.1",
    "1 2 3 4 5 6 7 8 ",
  ],
  ...[
    "ann@example.com",
    "born 1.2.1980",
    "passport C01X00T47",
    "a word or two, ",
    "tel. (415) 555-0132\n",
    "2001:db8::1",
    "12345678901",
  ],
  ...[
    "the card ",
    "00:1B:44:11:3A:B7",
    "VAT DE136695976 ",
    "49.2827, -123.1207",
    "\n",
    " ",
    ", ",
    "AB12 ",
    "7".repeat(40),
  ],
];

function textOf(random: Random, length: number): string {
  let text = "";
  while (text.length < length) text += oneOf(parts, random) + oneOf(["", " ", " ", "\n"], random);
  return text;
}

function wholeOf(sweeps: readonly Sweep[], text: string): Finding[] {
  return sweeps.flatMap((sweep) => [...sweep(text)]);
}

const placed = (findings: readonly { readonly category: string; readonly start: number; readonly end: number }[]) =>
  findings.map(({ category, start, end }) => `${start} ${end} ${category}`).sort();

describe("a long text", () => {
  it.each(entities)("has the same %s as if it were seen at once", (entity) => {
    const spec = { key: "pii", use: "pii", parameters: { entities: [entity] } };
    const { sweeps, triggers, patterns } = planOf(spec, new Map());
    const onlySweeps = triggers.length + patterns.length === 0;
    const scanner = compileDetectors([spec]);
    const random = seededRandom(7);
    for (let run = 0; run < 4; run++) {
      const text = textOf(random, 9_000 + Math.floor(random() * 9_000));
      const found = placed(scanner.scan(text).get("pii") ?? []);
      const swept = placed(wholeOf(sweeps, text));
      expect(found).toEqual(onlySweeps ? swept : expect.arrayContaining(swept));
    }
  });
});
