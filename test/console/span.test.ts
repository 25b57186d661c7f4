import fc from "fast-check";
import { expect, test } from "vitest";
import { outcomes } from "../../console/part/judgement/outcome-name.ts";
import { pieceOf } from "../../console/part/judgement/sample-piece.ts";
import { type Span, segmentsOf } from "../../console/part/judgement/span.ts";

const mark = (start: number, end: number, outcome: Span["outcome"] = "FLAG"): Span => ({
  start,
  end,
  outcome,
  label: "",
});
const shown = (text: string, spans: readonly Span[]) =>
  segmentsOf(text, spans).map((piece) => (piece.span === undefined ? piece.text : `[${piece.text}]`));

test("what is marked is marked, and the rest is not", () => {
  expect(shown("write to ada", [mark(9, 12)])).toEqual(["write to ", "[ada]"]);
  expect(shown("", [mark(0, 0)])).toEqual([]);
  expect(shown("plain", [])).toEqual(["plain"]);
});

test("of overlapping marks the gravest is shown", () => {
  const pieces = segmentsOf("abcdef", [mark(0, 4, "FLAG"), mark(2, 6, "BLOCK")]);
  expect(pieces.map(({ text, span }) => [text, span?.outcome])).toEqual([
    ["ab", "FLAG"],
    ["cdef", "BLOCK"],
  ]);
});

test("pieces always make the text again, whatever the marks are", () => {
  const span = fc.record({
    start: fc.integer({ min: -5, max: 60 }),
    end: fc.integer({ min: -5, max: 60 }),
    outcome: fc.constantFrom(...outcomes),
  });
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 50 }), fc.array(span, { maxLength: 8 }), (text, spans) => {
      const pieces = segmentsOf(
        text,
        spans.map((each) => ({ ...each, label: "" })),
      );
      expect(pieces.map((piece) => piece.text).join("")).toBe(text);
      let at = 0;
      for (const piece of pieces) {
        expect(piece.start).toBe(at);
        at += piece.text.length;
      }
    }),
  );
});

test("the beginning of a sample ends between two characters, and its last span with it", () => {
  const text = `${"a".repeat(399)}😀 and more`;
  const spans = [{ segment: 0, start: 390, end: 401, label: "attack" }];
  const piece = pieceOf({ text, spans, segments: [], toolCalls: [] });
  expect(piece.text).toBe(`${"a".repeat(399)}…`);
  expect(piece.spans).toEqual([{ start: 390, end: 399, label: "attack", outcome: "FLAG" }]);
});
