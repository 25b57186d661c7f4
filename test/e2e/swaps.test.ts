// Bundles that take turns under load: every evaluation is answered, by one bundle from its first rule to its last, and is not held up.
// `npm run assurance -- swaps` makes 1,000 swaps.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { VerifiedBundle } from "../../runtime/bundle/verify.ts";
import { reportSample, sampleOf } from "../../scripts/assurance/sample.ts";
import { verifiedBundle } from "../harness/bundle.ts";
import { type EvaluateStage, startEvaluateStage } from "../harness/evaluate-stage.ts";

const { n: swaps } = sampleOf({ n: 6, seed: 1 });
const callers = 4;
const rules = 6;

/** Policies whose rules all find the same word, and say in their ids which bundle they are of. */
function bundleNamed(name: string): Promise<VerifiedBundle> {
  const documents = ["one", "two"].map(
    (policy) => `apiVersion: policyguard/v1
kind: Policy
metadata: {name: ${policy}}
detectors:
  words: {use: keywords, keywords: [forbidden]}
  pii: {use: pii}
  secrets: {use: secrets}
  injection: {use: injection}
rules:
${Array.from({ length: rules }, (_, i) => `  - {id: ${name}.${policy}.${i}, stages: [input], detect: words, action: FLAG}`).join("\n")}
  - {id: ${name}.${policy}.pii, stages: [input], detect: pii, action: FLAG}
  - {id: ${name}.${policy}.secrets, stages: [input], detect: secrets, action: FLAG}
  - {id: ${name}.${policy}.injection, stages: [input], detect: injection, action: FLAG}
`,
  );
  return verifiedBundle(documents);
}

let stage: EvaluateStage;

beforeAll(async () => {
  stage = await startEvaluateStage();
});

afterAll(() => stage.stop());

it(`${swaps} swaps under load leave no evaluation unanswered, and none with rules of two bundles`, async () => {
  const bundles = [await bundleNamed("a"), await bundleNamed("b")] as const;
  await stage.adopt(bundles[0]);
  let [isDone, answered, failed, mixed] = [false, 0, 0, 0];
  const seen = new Set<string>();
  const load = async () => {
    while (!isDone) {
      const { status, body } = await evaluate();
      answered += 1;
      if (status !== 200) failed += 1;
      else {
        const ids: string[] = body.findings.map((finding: { rule_id: string }) => finding.rule_id);
        const owners = new Set(ids.map((id) => `${id.split(".")[0]} ${body.bundle.digest}`));
        if (owners.size !== 1 || ids.length !== 2 * rules) mixed += 1;
        for (const owner of owners) seen.add(owner);
      }
    }
  };
  const evaluate = async () => {
    const answer = await fetch(`${stage.url}/v1/evaluate/input`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${stage.tokenOf("runtime")}` },
      body: JSON.stringify({ text: "a forbidden word", options: { detail: "findings" } }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const stall = monitorEventLoopDelay({ resolution: 1 });
  const loading = Promise.all(Array.from({ length: callers }, load));
  stall.enable();
  for (let swap = 1; swap <= swaps; swap++) await stage.adopt(bundles[swap % 2 === 0 ? 0 : 1]);
  stall.disable();
  isDone = true;
  await loading;
  expect({ failed, mixed }).toEqual({ failed: 0, mixed: 0 });
  // Each bundle's rules under that bundle's digest, and both have been in force.
  expect(seen.size).toBe(2);
  expect(answered).toBeGreaterThan(swaps);
  reportSample({
    n: swaps,
    failures: failed + mixed,
    figures: { evaluations: answered, longest_stall_ms: Math.round(stall.max / 1e5) / 10 },
  });
});
