// How an organization gets more evaluations, in words that depend on how the installation sells them.

/** Where a larger plan comes from. */
export type BillingMode = "stub" | "stripe" | "off";

/** A sentence for the message of a refusal. */
export function quotaAdvice(mode: BillingMode, orgId: string): string {
  const buy = "An admin of the organization gets a larger plan with POST /v1/billing/checkout";
  const set = `npm run operator -- set-plan ${orgId} enterprise`;
  if (mode === "stripe") return buy;
  if (mode === "stub") return `${buy}, or the operator of this installation with: ${set}`;
  return `The operator of this installation sets a larger plan with: ${set}`;
}
