/** The outcomes by their wire names, the mildest first. */
export const outcomes = ["ALLOW", "FLAG", "REDACT", "BLOCK"] as const;
/** One of them. */
export type OutcomeName = (typeof outcomes)[number];

/** The name of an outcome's number; undefined for the unset one. */
export function outcomeName(value: number): OutcomeName | undefined {
  return outcomes[value - 1];
}
