// Times in JSON: RFC 3339 in, RFC 3339 in UTC with whole seconds out.

import { create } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { wholeSeconds } from "../../src/kit/process/clock.ts";

const rfc3339 = /^(\d{4}-\d{2}-(\d{2}))T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** The time that the text names; undefined when it is not a time in RFC 3339 form, or not a day of the calendar. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [, date, day, hour, , , fraction = ""] = match;
  // Date.parse takes February 31 for March 3 and 24:00 for the next day.
  if (Number(hour) > 23 || new Date(`${date}T00:00:00Z`).getUTCDate() !== Number(day)) return undefined;
  const timeMs = Date.parse(fraction === "" ? text : text.replace(`.${fraction}`, ""));
  if (Number.isNaN(timeMs) || timeMs < firstMs || timeMs > lastMs) return undefined;
  return create(TimestampSchema, { seconds: BigInt(timeMs / 1000), nanos: Number(fraction.padEnd(9, "0")) });
}

// The range of google.protobuf.Timestamp; an offset can lead out of it.
const firstMs = Date.parse("0001-01-01T00:00:00Z");
const lastMs = Date.parse("9999-12-31T23:59:59Z");

/** The time in UTC with whole seconds; a part of a second is cut, not rounded. */
export function formatTimestamp(time: Timestamp): string {
  return wholeSeconds(new Date(Number(time.seconds) * 1000));
}
