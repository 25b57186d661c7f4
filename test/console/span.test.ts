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
  segmentsOf(text, spans).pieces.map((piece) => (piece.spans.length === 0 ? piece.text : `[${piece.text}]`));
/** Each piece with its underlines, that nearest to the text first; "-" is an empty height. */
const underlined = (text: string, spans: readonly Span[]) =>
  segmentsOf(text, spans).pieces.map(({ text: piece, lines }) =>
    [piece, ...Array.from(lines, (outcome) => outcome ?? "-")].join(" "),
  );
const labels = (text: string, spans: readonly Span[]) =>
  segmentsOf(text, spans).pieces.map((piece) => piece.spans.map(({ label }) => label).join(" "));

test("what is marked is marked, and the rest is not", () => {
  expect(shown("write to ada", [mark(9, 12)])).toEqual(["write to ", "[ada]"]);
  expect(shown("", [mark(0, 0)])).toEqual([]);
  expect(shown("plain", [])).toEqual(["plain"]);
  expect(shown("abc", [mark(0, 1), mark(1, 2)])).toEqual(["[a]", "[b]", "c"]);
  expect(shown("abc", [mark(-4, 1), mark(2, 9), mark(7, 9)])).toEqual(["[a]", "b", "[c]"]);
});

test("a span of no width marks nothing, also where it stands within a character", () => {
  expect(segmentsOf("a😀b", [mark(0, 0), mark(2, 2), mark(4, 4), mark(3, 1)])).toEqual({
    pieces: [expect.objectContaining({ text: "a😀b", spans: [] })],
    leftOut: 0,
  });
});

test("a character of two code units is marked as a whole", () => {
  expect(shown("a😀😀b", [mark(2, 3)])).toEqual(["a", "[😀]", "😀b"]);
  expect(shown("a😀😀b", [mark(1, 2)])).toEqual(["a", "[😀]", "😀b"]);
  expect(shown("a😀😀b", [mark(1, 3), mark(3, 5)])).toEqual(["a", "[😀]", "[😀]", "b"]);
});

test("of overlapping marks each piece knows all, the gravest first and then the shorter", () => {
  const spans = [
    { ...mark(0, 4, "FLAG"), label: "flag" },
    { ...mark(2, 6, "BLOCK"), label: "block" },
    { ...mark(2, 3, "FLAG"), label: "inner" },
  ];
  expect(shown("abcdef", spans)).toEqual(["[ab]", "[c]", "[d]", "[ef]"]);
  expect(labels("abcdef", spans)).toEqual(["flag", "block inner flag", "block flag", "block"]);
});

test("an underline keeps its height over its whole span, and the gravest is nearest to the text", () => {
  expect(underlined("abcdef", [mark(0, 6, "FLAG"), mark(2, 4, "BLOCK")])).toEqual([
    "ab - FLAG",
    "cd BLOCK FLAG",
    "ef - FLAG",
  ]);
  expect(underlined("abcd", [mark(0, 2, "FLAG"), mark(2, 4, "REDACT")])).toEqual(["ab FLAG", "cd REDACT"]);
});

test("no more than three underlines are drawn, and all findings are counted", () => {
  const spans = outcomes.flatMap((outcome) => [mark(0, 3, outcome), mark(0, 3, outcome)]);
  expect(underlined("abc", spans)).toEqual(["abc BLOCK BLOCK REDACT"]);
  const many = Array.from({ length: 40 }, () => mark(0, 3));
  const [piece] = segmentsOf("abc", many).pieces;
  expect(piece?.count).toBe(40);
  expect(piece?.spans).toHaveLength(10);
});

test("thousands of findings make a bounded number of pieces; the gravest are marked and the rest is counted", () => {
  const text = "x".repeat(60_000);
  const apart = Array.from({ length: 6_000 }, (_, at) => mark(at * 10, at * 10 + 5, at === 5_999 ? "BLOCK" : "FLAG"));
  const { pieces, leftOut } = segmentsOf(text, apart);
  expect(pieces.length).toBeLessThanOrEqual(500);
  const marked = pieces.filter(({ spans }) => spans.length > 0);
  expect(marked.at(-1)).toMatchObject({ start: 59_990, lines: ["BLOCK"] });
  expect(marked.length + leftOut).toBe(6_000);
  const covered = segmentsOf(text, [...apart.slice(0, 5_000), { ...mark(0, 50_000), label: "long" }]);
  expect(covered.pieces.filter(({ spans }) => spans.some(({ label }) => label === "long")).length).toBeGreaterThan(400);
  const nested = segmentsOf(
    text,
    Array.from({ length: 6_000 }, (_, at) => mark(at, 60_000 - at)),
  );
  expect(nested.pieces.length).toBeLessThanOrEqual(500);
  expect(Math.max(...nested.pieces.map(({ count }) => count)) + nested.leftOut).toBe(6_000);
  expect(Math.max(...nested.pieces.map(({ spans }) => spans.length))).toBe(10);
});

test("pieces always make the text again, whatever the marks are, and halve no character", () => {
  const span = fc.record({
    start: fc.integer({ min: -5, max: 60 }),
    end: fc.integer({ min: -5, max: 60 }),
    outcome: fc.constantFrom(...outcomes),
  });
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 50 }), fc.array(span, { maxLength: 8 }), (text, spans) => {
      const { pieces } = segmentsOf(
        text,
        spans.map((each) => ({ ...each, label: "" })),
      );
      expect(pieces.map((piece) => piece.text).join("")).toBe(text);
      let at = 0;
      for (const piece of pieces) {
        expect(piece.start).toBe(at);
        at += piece.text.length;
        expect(piece.text.isWellFormed()).toBe(true);
        const over = spans.filter((each) => each.start < each.end && each.start < at && each.end > piece.start);
        expect(piece.count).toBe(over.length);
        const gravest = outcomes.findLast((outcome) => over.some((each) => each.outcome === outcome));
        expect(piece.spans[0]?.outcome).toBe(gravest);
        expect(piece.lines.some((line) => line !== undefined)).toBe(over.length > 0);
        expect(piece.lines.length).toBeLessThanOrEqual(3);
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
