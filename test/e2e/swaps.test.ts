// Bundles that take turns under load: every evaluation is answered, by one bundle from its first rule to its last, and
// is not held up. Each bundle is a new one, of the size of the benches' work load, with phrases and patterns that were
// in none before. The runtime is a process of its own and measures itself, so that what its callers do on the same
// processors is not taken for a stall. `npm run assurance -- swaps` makes 1,000 swaps.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stringify } from "yaml";
import { workLoadPolicy } from "../../bench/load/policy.ts";
import { BundleSchema } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import { reportSample, sampleOf } from "../../scripts/assurance/sample.ts";
import { signedBundle } from "../harness/bundle.ts";
import type { SwapAnswer, SwapRequest } from "../harness/process/swap-runtime.ts";

const { n: swaps } = sampleOf({ n: 3, seed: 1 });
const callers = 4;
const rules = 6;
/** After so many swaps memory is compared with memory at the end; with fewer nothing can be said. */
const settled = 50;

/** Policies whose rules all find the same word, and say in their ids which bundle they are of, beside the work load. */
async function bundleNumber(number: number): Promise<SwapRequest> {
  const documents = ["one", "two"].map(
    (policy) => `apiVersion: policyguard/v1
kind: Policy
metadata: {name: ${policy}}
detectors:
  words: {use: keywords, keywords: [forbidden]}
rules:
${Array.from({ length: rules }, (_, i) => `  - {id: b${number}.${policy}.${i}, stages: [input], detect: words, action: FLAG}`).join("\n")}
`,
  );
  const usual = workLoadPolicy();
  const detectors = {
    ...usual.detectors,
    fresh: { use: "keywords", keywords: Array.from({ length: 20 }, (_, i) => `phrase ${i} of bundle ${number}`) },
    shapes: {
      use: "regex",
      patterns: Array.from({ length: 5 }, (_, i) => `\\bshape-${number}-[0-9]{4}-[a-f]{${i + 2}}\\b`),
    },
  };
  const own = ["fresh", "shapes"].map((id) => ({ id, stages: ["input"], detect: id, action: "FLAG" }));
  const load = { ...usual, detectors, rules: [...usual.rules, ...own] };
  const { bundle, key, orgId, projectId, environment } = await signedBundle([...documents, stringify(load)]);
  const scope = { orgId, projectId, environment };
  return { kind: "adopt", bundle: toBinary(BundleSchema, bundle), key: key.publicJwk, scope };
}

let runtime: ChildProcess;

beforeAll(() => {
  const script = fileURLToPath(new URL("../harness/process/swap-runtime.ts", import.meta.url));
  runtime = fork(script, { execArgv: ["--expose-gc"], serialization: "advanced" });
});

afterAll(async () => {
  if (runtime.exitCode !== null) return;
  const ended = once(runtime, "exit");
  runtime.send({ kind: "stop" } satisfies SwapRequest);
  await ended;
});

async function heard<K extends SwapAnswer["kind"]>(kind: K): Promise<Extract<SwapAnswer, { kind: K }>> {
  const [answer]: SwapAnswer[] = await once(runtime, "message");
  if (answer?.kind !== kind) throw new Error(`expected ${kind}, heard ${answer?.kind}`);
  return answer as Extract<SwapAnswer, { kind: K }>; // the kind was just compared
}

function ask<K extends SwapAnswer["kind"]>(request: SwapRequest, kind: K): Promise<Extract<SwapAnswer, { kind: K }>> {
  const answer = heard(kind);
  runtime.send(request);
  return answer;
}

/** Calls until it is stopped, and counts. */
function startCallers({ url, token }: { readonly url: string; readonly token: string }) {
  const counts = { answered: 0, failed: 0, mixed: 0 };
  const seen = new Set<string>();
  let isDone = false;
  const call = async () => {
    const answer = await fetch(`${url}/v1/evaluate/input`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ text: "a forbidden word", options: { detail: "findings" } }),
    });
    const body = await answer.json();
    counts.answered += 1;
    if (answer.status !== 200) counts.failed += 1;
    else {
      const ids: string[] = body.findings.map((finding: { rule_id: string }) => finding.rule_id);
      const owners = new Set(ids.map((id) => `${id.split(".")[0]} ${body.bundle.digest}`));
      if (owners.size !== 1 || ids.length !== 2 * rules) counts.mixed += 1;
      for (const owner of owners) seen.add(owner);
    }
  };
  const load = async () => {
    while (!isDone) {
      await call().catch(() => {
        counts.answered += 1;
        counts.failed += 1;
      });
    }
  };
  const loading = Promise.all(Array.from({ length: callers }, load));
  const stop = async () => {
    isDone = true;
    await loading;
    return { ...counts, seen: seen.size };
  };
  return { counts, stop };
}

it(`${swaps} swaps under load leave no evaluation unanswered, none with rules of two bundles, and none waiting`, async () => {
  const address = await heard("ready");
  await ask(await bundleNumber(0), "adopted");
  const load = startCallers(address);
  // How it is without swaps, once the code has been compiled.
  while (load.counts.answered < 500) await new Promise((resolve) => setTimeout(resolve, 20));
  await ask({ kind: "measure" }, "measured");
  const calm = load.counts.answered + 200;
  while (load.counts.answered < calm) await new Promise((resolve) => setTimeout(resolve, 20));
  const quiet = await ask({ kind: "measure" }, "measured");
  const stalls = { maxMs: 0, maxCpuMs: 0, over5: 0, over20: 0 };
  const took: number[] = [];
  let held = 0;
  for (let swap = 1; swap <= swaps; swap++) {
    took.push((await ask(await bundleNumber(swap), "adopted")).tookMs);
    const measured = await ask({ kind: "measure" }, "measured");
    stalls.maxMs = Math.max(stalls.maxMs, measured.stalls.maxMs);
    stalls.maxCpuMs = Math.max(stalls.maxCpuMs, measured.stalls.maxCpuMs);
    stalls.over5 += measured.stalls.over5;
    stalls.over20 += measured.stalls.over20;
    if (swap === settled) held = measured.heldMegabytes;
    if (swap === swaps && swaps > settled) expect(measured.heldMegabytes).toBeLessThan(held * 1.25);
  }
  const { answered, failed, mixed, seen } = await load.stop();
  expect({ failed, mixed }).toEqual({ failed: 0, mixed: 0 });
  // Each bundle's rules under that bundle's digest, and each has been in force.
  expect(seen).toBe(swaps + 1);
  expect(answered).toBeGreaterThan(swaps);
  reportSample({
    n: swaps,
    failures: failed + mixed,
    figures: {
      evaluations: answered,
      longest_stall_ms: tenths(stalls.maxMs),
      longest_stall_cpu_ms: tenths(stalls.maxCpuMs),
      stalls_over_5_cpu_ms: stalls.over5,
      stalls_over_20_cpu_ms: stalls.over20,
      longest_without_swaps_ms: tenths(quiet.stalls.maxMs),
      longest_without_swaps_cpu_ms: tenths(quiet.stalls.maxCpuMs),
      median_swap_ms: Math.round([...took].sort((a, b) => a - b)[took.length >> 1] ?? 0),
    },
  });
});

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
