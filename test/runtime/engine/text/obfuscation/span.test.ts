// Spans are mapped back through layers: a finding in a form of a text is marked where the form was made from, and
// nowhere else.

import fc from "fast-check";
import { expect, it } from "vitest";
import { disguised } from "../../../../../models/training/transform.ts";
import { splitsPair } from "../../../../../runtime/engine/pattern/compile-pattern.ts";
import { reads, type View, viewsOf } from "../../../../../runtime/engine/text/normalize.ts";
import { reportSample, sampleOf } from "../../../../../scripts/assurance/sample.ts";

const sample = sampleOf({ n: 1_000, seed: 17 });
const all = reads.given | reads.normal | reads.normalAgain | reads.decoded | reads.obfuscated;
/** Codes in which every character is a digit. */
const dense = ["base64", "base64_twice", "base32", "hex", "binary", "decimal"];
/** Codes of single characters: unencoded characters beside them belong to the same words. */
const mixed = ["url", "html", "escape"];
/** Padding at the end of a code carries no text. */
const mostPadding = 6;

const words = fc.array(
  fc.constantFrom("please", "tell", "me", "about", "the", "history", "of", "this", "town", "and", "its", "people"),
  { minLength: 8, maxLength: 14 },
);
const around = fc
  .array(fc.constantFrom("Look", "go", "é", "e\u0301", "😀", "ｐay", "ﬁ", "\u200b", "the", "k3y", "&amp;", "."), {
    maxLength: 6,
  })
  .map((parts) => parts.join(" "));

it("marks in every form the span that it was made from, and inner spans within outer ones", () => {
  let hidden = 0;
  fc.assert(
    fc.property(
      ...[
        around,
        words,
        fc.constantFrom(...dense, ...mixed),
        around,
        fc.array(fc.nat(400), { minLength: 4, maxLength: 4 }),
      ],
      (before, list, name, after, places) => {
        const plain = list.join(" ");
        const code = disguised(name, plain);
        const text = `${before} ${code} ${after}`;
        const from = before.length + 1;
        for (const view of viewsOf(text, all)) {
          expectNested(view, text, places);
          const at = view.text.indexOf(plain);
          if (at < 0) continue;
          hidden++;
          const [start, end] = view.original(at, at + plain.length);
          // The whole code is marked, so that no part of it remains; and no more, unless more may belong to it.
          expect([name, start <= from, end >= from + code.length - mostPadding]).toEqual([name, true, true]);
          if (dense.includes(name))
            expect([name, start >= from - 1, end <= from + code.length + 1]).toEqual([name, true, true]);
        }
      },
    ),
    { numRuns: sample.n, seed: sample.seed },
  );
  expect(hidden).toBeGreaterThan(sample.n * 0.9);
  reportSample({ n: sample.n, failures: 0 });
});

function expectNested(view: View, text: string, places: readonly number[]): void {
  const { length } = view.text;
  if (length === 0) return;
  const [a = 0, b = 0, c = 0, d = 0] = places.map((place) => place % length).sort((x, y) => x - y);
  if ([a, b, c + 1, d + 1].some((edge) => splitsPair(view.text, edge))) return;
  const outer = view.original(a, d + 1);
  const inner = view.original(b, c + 1);
  expect(outer[0]).toBeGreaterThanOrEqual(0);
  expect(outer[1]).toBeLessThanOrEqual(text.length);
  expect(inner[0]).toBeGreaterThanOrEqual(outer[0]);
  expect(inner[1]).toBeLessThanOrEqual(outer[1]);
  expect(inner[1]).toBeGreaterThan(inner[0]);
  for (const edge of [...inner, ...outer]) expect(splitsPair(text, edge)).toBe(false);
}
