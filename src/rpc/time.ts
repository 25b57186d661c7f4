// Dates of rows as Protobuf timestamps.

import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";

/** The timestamp of a date; undefined for a column that is null. */
export function timestamp(date: Date | null | undefined): Timestamp | undefined {
  return date == null ? undefined : timestampFromDate(date);
}
