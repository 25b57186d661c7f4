// The tests that stand before a publish: every policy still compiles, alone and together, and its own tests are green.

import type { BundlePolicySource } from "./bundle-content.ts";
import { checkDocument, policyTestsFailed, requireSound } from "./policy-document.ts";

/** How many tests ran. */
export interface TestCount {
  readonly passed: number;
  readonly failed: number;
}

/** Runs the tests of every policy. A failing one is a 422 that lists the cases. */
export function testPolicies(
  policies: readonly Pick<BundlePolicySource, "document" | "packs">[],
  now: Date,
): TestCount {
  const results = policies.flatMap(({ document, packs }) => {
    const checked = checkDocument(document, now, packs);
    if (checked.document === undefined) requireSound(checked);
    return checked.tests;
  });
  const failures = results.filter((result) => !result.passed);
  if (failures.length > 0) throw policyTestsFailed(failures);
  return { passed: results.length, failed: 0 };
}
