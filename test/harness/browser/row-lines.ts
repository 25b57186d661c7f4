// How rows of wide lists stand on phones.

import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { eventually } from "../eventually.ts";

/** Waits until no cell of the row is left out, and they stand in several lines. */
export async function expectLines(row: Locator): Promise<void> {
  await row.waitFor();
  await eventually(async () => {
    const cells = await row
      .locator("td:not(:empty)")
      .evaluateAll((all) => all.map((cell) => ({ top: cell.getBoundingClientRect().top, width: cell.clientWidth })));
    expect(cells.length).toBeGreaterThanOrEqual(3);
    expect(cells.filter(({ width }) => width === 0)).toEqual([]);
    const [first, last] = [Math.min(...cells.map(({ top }) => top)), Math.max(...cells.map(({ top }) => top))];
    expect(last).toBeGreaterThan(first);
  });
}
