import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Outcome, Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { BundleBuilder } from "../../../runtime/bundle/builder.ts";
import { runtimeVersion } from "../../../runtime/bundle/version.ts";
import {
  CandidateRunner,
  type CandidateRunnerOptions,
  type LoadedCandidate,
} from "../../../runtime/control-plane/candidate.ts";
import type { Evaluation } from "../../../runtime/engine/evaluate/evaluation.ts";
import { maxBundleBytes } from "../../../src/kit/bundle/bundle-size.ts";
import type { ActivationPayload, CandidateReference } from "../../../src/kit/bundle/statement-payload.ts";
import { newSigningKey, trustKeys } from "../../../src/kit/crypto/signing-key.ts";
import { createLog } from "../../../src/kit/observability/log.ts";
import { newId } from "../../../src/kit/process/id.ts";
import { signedBundle, type TestBundle } from "../../harness/bundle.ts";
import { eventually } from "../../harness/eventually.ts";
import { createMovedClock } from "../../harness/moved-clock.ts";

const hourMs = 3_600_000;
const builder = new BundleBuilder();
const log = createLog({ name: "test", level: "silent" });
const clock = createMovedClock();
let made: TestBundle;
let activation: ActivationPayload;

beforeAll(async () => {
  made = await signedBundle([
    `apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
detectors: {words: {use: keywords, keywords: [forbidden]}}
rules: [{id: word, stages: [input], detect: words, action: BLOCK}]
`,
  ]);
  const payload = made.bundle.activation?.payload ?? "";
  activation = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
});

afterAll(() => builder.stop());

/** An activation that names the bundle as the candidate. */
function naming(change: Partial<CandidateReference> = {}): ActivationPayload {
  const { version, digest } = activation;
  const expires_at = new Date(clock.now().getTime() + hourMs).toISOString();
  return { ...activation, candidate: { version, digest, percent: 100, expires_at, ...change } };
}

function runnerOf(change: Partial<CandidateRunnerOptions> = {}): CandidateRunner {
  const { orgId, projectId, environment } = made;
  return new CandidateRunner({
    fetch: async () => made.bundle,
    check: () => ({
      trust: trustKeys([made.key.publicJwk]),
      scope: { orgId, projectId, environment },
      ...{ maxBytes: maxBundleBytes, runtimeVersion },
    }),
    instanceId: newId(),
    ...{ builder, clock, log },
    ...change,
  });
}

const evaluate = ({ engine, reference }: LoadedCandidate): Evaluation =>
  engine.evaluate(create(EvaluateRequestSchema, { segments: [{ role: "user", text: "forbidden" }] }), {
    ...{ stage: Stage.INPUT, now: clock.now(), evaluationId: newId(), fingerprintKey: new Uint8Array(32) },
    ...{ bundle: create(BundleReferenceSchema, reference), elapsedUs: () => 1 },
  });

const loaded = (runner: CandidateRunner) =>
  eventually(() => {
    if (runner.current === undefined) throw new Error("the candidate is not loaded yet");
    return runner.current;
  });

describe("the share of runtimes that takes part", () => {
  const takesPart = (instanceId: string, reference: Partial<CandidateReference>): boolean => {
    let isFetched = false;
    const fetch = () => {
      isFetched = true;
      return new Promise<never>(() => undefined);
    };
    runnerOf({ instanceId, fetch }).follow(naming(reference));
    return isFetched;
  };
  const ids = Array.from({ length: 400 }, newId);

  it("is about as large as the candidate states, and includes everybody at 100 %", () => {
    const share = ids.filter((id) => takesPart(id, { percent: 30 })).length / ids.length;
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.4);
    expect(ids.every((id) => takesPart(id, { percent: 100 }))).toBe(true);
  });

  it("stays the same for one candidate, only grows with its percentage, and differs for another candidate", () => {
    const members = (reference: Partial<CandidateReference>) => ids.filter((id) => takesPart(id, reference));
    const first = members({ percent: 30 });
    expect(members({ percent: 30 })).toEqual(first);
    expect(members({ percent: 60 })).toEqual(expect.arrayContaining(first));
    expect(members({ percent: 30, digest: "sha256:another" })).not.toEqual(first);
  });

  it("leaves the others without a candidate", async () => {
    const outside = ids.find((id) => !takesPart(id, { percent: 1 }));
    const runner = runnerOf({ instanceId: outside ?? "" });
    runner.follow(naming({ percent: 1 }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(runner.current).toBeUndefined();
    expect(runner.takeTally()).toBeUndefined();
  });
});

describe("a candidate beside overrides", () => {
  it("is evaluated without them, beside what the active version says without them", async () => {
    const runner = runnerOf();
    const overrides = [{ policy_id: newId(), rule_id: "word", mode: "shadow" as const, until: "2100-01-01T00:00:00Z" }];
    const named: ActivationPayload = { ...naming(), overrides };
    runner.follow(named);
    const candidate = await loaded(runner);
    expect(evaluate(candidate).response.outcome).toBe(Outcome.BLOCK);
    const asked: string[] = [];
    const bare = () => {
      asked.push("active");
      return evaluate(candidate);
    };
    expect(runner.judge(bare, evaluate)).toMatchObject({ outcome: Outcome.BLOCK, changed: false });
    expect(asked).toEqual(["active"]);
  });
});

describe("a candidate that expires", () => {
  it("is evaluated until it expires, and again when the expiry is moved", async () => {
    const runner = runnerOf();
    runner.follow(naming());
    const evaluation = evaluate(await loaded(runner));
    const active = () => evaluation;
    expect(runner.judge(active, evaluate)).toMatchObject({ version: 1, outcome: Outcome.BLOCK, changed: false });
    clock.pass(hourMs - 1);
    expect(runner.current).toBeDefined();
    clock.pass(1);
    expect(runner.current).toBeUndefined();
    expect(runner.judge(active, evaluate)).toBeUndefined();
    expect(runner.takeTally()?.pairs).toMatchObject([{ count: 1 }]);
    runner.consider(active, evaluate);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(runner.takeTally()).toBeUndefined();
    runner.follow(naming());
    expect(runner.judge(active, evaluate)).toBeDefined();
  });
});

describe("a candidate that cannot be loaded", () => {
  it("is reported once with the reason, and tried again with the next activation", async () => {
    let trust = trustKeys([newSigningKey().publicJwk]);
    const { orgId, projectId, environment } = made;
    const scope = { orgId, projectId, environment };
    const runner = runnerOf({ check: () => ({ trust, scope, maxBytes: maxBundleBytes, runtimeVersion }) });
    runner.follow(naming());
    const tally = await eventually(() => {
      const found = runner.takeTally();
      if (found === undefined) throw new Error("nothing to report yet");
      return found;
    });
    expect(tally).toMatchObject({ version: 1, digest: activation.digest, pairs: [] });
    expect(tally.loadFailure).toMatch(/^unknown_kid: /);
    expect(runner.takeTally()).toBeUndefined();
    trust = trustKeys([made.key.publicJwk]);
    runner.follow(naming());
    await loaded(runner);
    expect(runner.takeTally()).toBeUndefined();
  });

  it("is not reported when the fetch failed: the candidate is fetched again", async () => {
    let calls = 0;
    const fetch = async () => {
      calls += 1;
      if (calls === 1) throw new Error("the network is away");
      return made.bundle;
    };
    const runner = runnerOf({ fetch });
    runner.follow(naming());
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(runner.takeTally()).toBeUndefined();
    runner.follow(naming());
    await loaded(runner);
    expect(calls).toBe(2);
  });
});
