import { describe, expect, it } from "vitest";
import { drawOfGroup } from "../../../bench/detection/generated/language.ts";
import type { DrawName } from "../../../bench/detection/generated/pii.ts";
import type { Judge } from "../../../bench/detection/judge.ts";
import { devRows, type MadeSets, madeSets } from "../../../bench/detection/made.ts";
import { crossFitted, shareOver, thresholdsFrom } from "../../../bench/detection/threshold.ts";
import { type Row, readCorpus } from "../../../models/training/row.ts";

const sets = madeSets.map((made) => [`${made.detector}, ${made.title ?? "made up"}`, made] as const);
const drawn = new Map<string, readonly Row[]>();

/** The rows of a set, made once for all that is asked of them. */
function rowsOf(made: MadeSets, draw: DrawName): readonly Row[] {
  const key = `${madeSets.indexOf(made)} ${draw}`;
  const rows = drawn.get(key) ?? made.rows(draw);
  drawn.set(key, rows);
  return rows;
}

describe("the sets of a detector", () => {
  it.each(sets)("%s: has many texts of both sorts", (_, made) => {
    const test = rowsOf(made, "test");
    expect(test.filter(({ isAttack }) => isAttack).length).toBeGreaterThanOrEqual(150);
    expect(test.filter(({ isAttack }) => !isAttack).length).toBeGreaterThanOrEqual(130);
  });

  it.each(sets)("%s: shares no text and no group between the one to tune on and the hold-out", (_, made) => {
    const [dev, test] = [rowsOf(made, "dev"), rowsOf(made, "test")];
    for (const key of ["text", "group"] as const) {
      const seen = new Set(dev.map((row) => row[key]));
      expect(test.filter((row) => seen.has(row[key]))).toEqual([]);
    }
  });

  it.each(sets)("%s: is the same in every run, and takes innocent texts only for its thresholds", (_, made) => {
    expect(made.rows("test")).toEqual(rowsOf(made, "test"));
    expect(devRows(made).every(({ isAttack }) => !isAttack)).toBe(true);
  });
});

describe("thresholds", () => {
  const byLength: Judge = { name: "length", threshold: 0.5, score: ({ text }) => text.length };

  it("of a half come from the other half", async () => {
    const rows = readCorpus().slice(0, 2_000);
    const half = rows.filter((row) => drawOfGroup(row) === "dev");
    const other = rows.filter((row) => drawOfGroup(row) === "test");
    const at = await crossFitted(rows, byLength);
    const ofOther = await thresholdsFrom(other, byLength);
    const [row] = half;
    expect(row).toBeDefined();
    if (row !== undefined) expect(at.onePercent(row)).toBe(ofOther.onePercent(row));
  });

  it("flag at most the wanted share of innocent texts in their own set", async () => {
    const rows = readCorpus().slice(0, 2_000);
    const innocent = rows.filter(({ isAttack }) => !isAttack);
    const at = await thresholdsFrom(rows, byLength);
    const scores = innocent.map(({ text }) => text.length);
    expect(shareOver(innocent, scores, at.halfPercent).value).toBeLessThanOrEqual(0.005);
  });
});
