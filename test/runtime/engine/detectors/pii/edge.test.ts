// What a sweep calls settled of a growing text stays as it is, whatever comes behind it.

import { describe, expect, it } from "vitest";
import { drawOf } from "../../../../../bench/detection/generated/draw.ts";
import type { Sweep } from "../../../../../runtime/engine/detectors/detector-plan.ts";
import { findPassports } from "../../../../../runtime/engine/detectors/pii/code.ts";
import { identitySweep, minDigitsOf } from "../../../../../runtime/engine/detectors/pii/identity.ts";
import { numberSweep } from "../../../../../runtime/engine/detectors/pii/number-edge.ts";
import { codeSweep } from "../../../../../runtime/engine/detectors/pii/token-edge.ts";
import { drawNumber, formats, labels } from "./sample-identity.ts";

/** The lengths of the beginnings of a text of which something settled is not so in the whole. */
function unsettled(sweep: Sweep, text: string): number[] {
  const all = sweep(text);
  return Array.from({ length: text.length }, (_, length) => length).filter((length) => {
    const known = text.slice(0, length);
    const edge = sweep.open?.(known, 0) ?? 0;
    const before = (findings: typeof all) => JSON.stringify(findings.filter(({ start }) => start < edge));
    return before(sweep(known)) !== before(all);
  });
}

describe("the edge of a growing text", () => {
  it("are passports, with the series that stands before their number", () => {
    const sweep = codeSweep(findPassports, "passport");
    for (const number of ["4509 123456", "45 09 123456", "45 09 № 123456", "45 09 № 1234567", "C01X00T47"])
      expect(unsettled(sweep, `паспорт ${number}, 17 passports 45 09 and nothing more is said of it here`)).toEqual([]);
  });

  it.each(formats.map((format, index) => [format.kind, format, index] as const))(
    "are numbers of the kind %s",
    (kind, format, index) => {
      const sweep = numberSweep(identitySweep([format]), "identity", minDigitsOf([format]));
      const number = drawNumber(format, drawOf(20261122 + index));
      const label = labels.get(kind) ?? "";
      expect(
        unsettled(sweep, `of ${number} (${label}), and ${label} R&D ${number} among the words that follow`),
      ).toEqual([]);
    },
  );

  it("are Mexican numbers with a sign in them", () => {
    const rfc = formats.filter(({ kind }) => kind === "mx_rfc");
    const sweep = numberSweep(identitySweep(rfc), "identity", minDigitsOf(rfc));
    for (const number of ["A&B800101AB3", "ÑAB800101AB3", "AB&Ñ800101AB3"])
      expect(unsettled(sweep, `RFC ${number} and Telefonica&${number} in a list of many contributors`)).toEqual([]);
  });
});
