import { expect, it } from "vitest";
import { numberAfterRestore } from "../../../src/domain/number-after-restore.ts";

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 28) + seconds * 1_000);

it("goes on above what was counted since a restore of the same day, however fast that was", () => {
  const first = numberAfterRestore(40, at(0));
  const kept = first + 2;
  const forgotten = kept + 50_000;
  expect(numberAfterRestore(kept, at(5))).toBeGreaterThan(forgotten);
});

it("goes on above the former restore when the same backup is restored again", () => {
  for (const last of [40, numberAfterRestore(40, at(0)) + 2]) {
    let former = 0;
    for (let days = 0; days < 60; days++) {
      const next = numberAfterRestore(last, at(days * 86_400 + 60));
      expect(next).toBeGreaterThan(former);
      former = next;
    }
  }
});
