import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { absolute, ago } from "../text/format.ts";
import { clock, useAppearance } from "./appearance.ts";

/** A time as people say it, with the exact one where the pointer rests. */
export function Ago({ time }: { readonly time: Timestamp | undefined }) {
  useAppearance(clock);
  if (time === undefined) return <>–</>;
  return (
    <time dateTime={timestampDate(time).toISOString()} title={absolute(time)}>
      {ago(time, new Date())}
    </time>
  );
}
