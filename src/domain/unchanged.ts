// A write that says what is there already changes nothing: it makes no version, moves no time and tells nobody. So a
// client that declares how things shall be can write as often as it likes.

import { isDeepStrictEqual } from "node:util";

/** Whether the row has these values already. Lists count with their order, members of objects without it. */
export function isUnchanged<Row extends object>(row: Row, values: Partial<Row>): boolean {
  return Object.entries(values).every(([name, value]) => isDeepStrictEqual(Reflect.get(row, name), value));
}
