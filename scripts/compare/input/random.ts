// Choices that are the same in every run.

import { createHash } from "node:crypto";
import { type Random, seededRandom } from "../../../runtime/engine/authoring/seeded-random.ts";

export type { Random };

/** The choices of a name. */
export function randomOf(name: string): Random {
  return seededRandom(createHash("sha256").update(name).digest().readUInt32LE());
}

/** One of the items. Throws when there is none. */
export function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("there is nothing to pick from");
  return item;
}

/** The items in another order. */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const order = items.map((item) => ({ item, at: random() }));
  return order.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}

/** A UUID for a name, the same in every run. */
export function uuidOf(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-",
  );
}
