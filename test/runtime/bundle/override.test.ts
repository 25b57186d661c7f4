// Overrides in activations: honoured until their end when they are signed for this runtime, and never otherwise.

import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { BundleReferenceSchema, EvaluateRequestSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Mode, Outcome, Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { BundleHolder } from "../../../runtime/bundle/active-bundle.ts";
import { type VerifiedBundle, verifyBundle } from "../../../runtime/bundle/verify.ts";
import { compileEngine } from "../../../runtime/engine/engine.ts";
import { productTools } from "../../../src/domain/analysis/tools.ts";
import { maxOverrides, type OverrideReference } from "../../../src/kit/bundle/statement-payload.ts";
import { newSigningKey } from "../../../src/kit/crypto/signing-key.ts";
import { encodeStatement } from "../../../src/kit/crypto/statement.ts";
import { newId } from "../../../src/kit/process/id.ts";
import { verifiedBundle } from "../../harness/bundle.ts";
import { checkOf, hours, now, scope, signedBundle } from "./signed-bundle.ts";

const adoption = { now, isConfirmed: true, keep: async () => undefined };
const document = {
  ...{ apiVersion: "policyguard/v1", kind: "Policy", metadata: { name: "words" } },
  detectors: { words: { use: "keywords", keywords: ["forbidden"] } },
  rules: [
    { id: "stop", stages: ["input", "output"], detect: "words", action: "BLOCK" },
    { id: "note", stages: ["input", "output"], detect: "words", action: "FLAG" },
  ],
};

/** The same content under the next activation, with these overrides. */
function under(found: VerifiedBundle, overrides: OverrideReference[] | undefined, seq: number): VerifiedBundle {
  const { overrides: _, ...payload } = found.activation.payload;
  const named = overrides === undefined ? {} : { overrides };
  const activation = { ...found.activation, payload: { ...payload, ...named, activation_seq: seq } };
  return { ...found, activation };
}

async function holderOf(): Promise<{ holder: BundleHolder; found: VerifiedBundle; policyId: string }> {
  const holder = new BundleHolder();
  const found = await verifiedBundle([JSON.stringify(document)]);
  await holder.adopt(found, adoption);
  return { holder, found, policyId: holder.require().engine.rules[0]?.policyId ?? "" };
}

const contextAt = (at: Date) => ({
  ...{ stage: Stage.INPUT, now: at, evaluationId: "", fingerprintKey: new Uint8Array(32), elapsedUs: () => 0 },
  bundle: create(BundleReferenceSchema),
});

function judge(holder: BundleHolder, at: Date = now) {
  const context = contextAt(at);
  const request = create(EvaluateRequestSchema, { text: "this is forbidden" });
  const { response, findings } = holder.require().engine.evaluate(request, context);
  const modes = findings.map(({ ruleId, mode }) => `${ruleId} ${mode === Mode.SHADOW ? "shadow" : "enforce"}`);
  return { outcome: response.outcome, modes: modes.sort() };
}

describe("an override", () => {
  const demoted = { outcome: Outcome.FLAG, modes: ["note enforce", "stop shadow"] };
  const enforced = { outcome: Outcome.BLOCK, modes: ["note enforce", "stop enforce"] };
  const shadow = (policy_id: string, rule_id = "stop", until = hours(1)) => [
    { policy_id, rule_id, mode: "shadow" as const, until },
  ];

  it("keeps its rule in shadow until its end, by the clock of the runtime, and with the engine at hand", async () => {
    const { holder, found, policyId } = await holderOf();
    expect(judge(holder)).toEqual(enforced);
    await holder.adopt(under(found, shadow(policyId), 2), adoption);
    expect(judge(holder)).toEqual(demoted);
    expect(judge(holder, new Date(Date.parse(hours(1)) - 1))).toEqual(demoted);
    expect(judge(holder, new Date(hours(1)))).toEqual(enforced);
    expect(holder.loaded?.reference.activationSeq).toBe(2);
  });

  it("ends when the next activation does not name it, and changes with a refresh", async () => {
    const { holder, found, policyId } = await holderOf();
    await holder.adopt(under(found, shadow(policyId), 2), adoption);
    await holder.adopt(under(found, undefined, 3), adoption);
    expect(judge(holder)).toEqual(enforced);
    holder.refresh(under(found, shadow(policyId, "note"), 3).activation, now);
    expect(judge(holder)).toEqual({ outcome: Outcome.BLOCK, modes: ["note shadow", "stop enforce"] });
    holder.refresh(under(found, undefined, 3).activation, now);
    expect(judge(holder)).toEqual(enforced);
  });

  it("stays with the rule when another version is activated, and when the bundle is read from disk", async () => {
    const { holder, found, policyId } = await holderOf();
    const restarted = new BundleHolder();
    await restarted.adopt(under(found, shadow(policyId), 2), { ...adoption, isConfirmed: false });
    expect(judge(restarted)).toEqual(demoted);
    const other = await verifiedBundle([JSON.stringify({ ...document, defaults: { timeout_ms: 400 } })]);
    await holder.adopt(other, adoption);
    const [rule] = holder.require().engine.rules;
    await holder.adopt(under(found, shadow(policyId), 2), adoption);
    await holder.adopt(under(other, shadow(rule?.policyId ?? ""), 3), adoption);
    expect(judge(holder)).toEqual(demoted);
  });

  it.each([
    ["a rule that nobody knows", (policyId: string) => shadow(policyId, "nothing")],
    ["a rule of another policy", () => shadow("00000000-0000-4000-8000-000000000000")],
    ["an end that is past", (policyId: string) => shadow(policyId, "stop", hours(-1))],
  ])("of %s changes nothing", async (_, of) => {
    const { holder, found, policyId } = await holderOf();
    await holder.adopt(under(found, of(policyId), 2), adoption);
    expect(judge(holder)).toEqual(enforced);
  });

  it("frees the text of streams that begin under it, and leaves open ones as they began", async () => {
    const { holder, found, policyId } = await holderOf();
    const open = () => {
      const stream = holder
        .require()
        .engine.openStream(create(EvaluateRequestSchema), { ...contextAt(now), stage: Stage.OUTPUT });
      return { push: () => stream.push("this is forbidden, or not").released, stream };
    };
    const before = open();
    await holder.adopt(under(found, shadow(policyId), 2), adoption);
    const after = open();
    expect([before.push(), after.push()].map((text) => text.includes("forbidden"))).toEqual([false, true]);
    expect(after.stream.finish().evaluation.response.outcome).toBe(Outcome.FLAG);
    expect(before.stream.finish().evaluation.response.outcome).toBe(Outcome.BLOCK);
  });

  it("never weakens a rule that its pack locks", async () => {
    const scopeOfAll = { tenantId: "*", appId: "*", agentId: "*", env: "*" };
    const { packs } = productTools();
    const extending = { ...document, extends: ["pack:rag@1"] };
    const policy = { policyId: "p", name: "words", version: 1, scope: scopeOfAll, document: extending, packs };
    const engine = compileEngine({ policies: [policy], environment: "prod", projectId: "" });
    const locked = engine.rules.filter(({ isLocked }) => isLocked);
    expect(locked.length).toBeGreaterThan(0);
    const untilMs = Date.parse(hours(1));
    const demoting = engine.demoting(engine.rules.map(({ policyId, ruleId }) => ({ policyId, ruleId, untilMs })));
    const context = {
      ...{ stage: Stage.RETRIEVAL, now, evaluationId: "", fingerprintKey: new Uint8Array(32), elapsedUs: () => 0 },
      bundle: create(BundleReferenceSchema),
    };
    const request = create(EvaluateRequestSchema, { text: `The key is ${"AKIA"}${"Q3EGRZ7X"}${"W2LMNP4T"}, keep it` });
    expect(demoting.evaluate(request, context).response.outcome).toBe(Outcome.BLOCK);
  });
});

describe("an activation with overrides", () => {
  const one = { policy_id: "p", rule_id: "stop", mode: "shadow" as const, until: hours(1) };
  const refused = (reason: string) => expect.objectContaining({ reason });

  it("is read with them, and without those of a mode that this version does not know", async () => {
    const later = { ...one, rule_id: "later", mode: "flag" } as unknown as OverrideReference;
    const bundle = await signedBundle({ activation: { overrides: [one, later] } });
    const { activation } = await verifyBundle(checkOf(bundle));
    expect(activation.payload.overrides).toEqual([one]);
  });

  it("is refused when somebody adds one without a key, or with a key of their own", async () => {
    const bundle = await signedBundle();
    const payload = JSON.parse(Buffer.from(bundle.activation?.payload ?? "", "base64url").toString());
    const added = Buffer.from(JSON.stringify({ ...payload, overrides: [one] })).toString("base64url");
    if (bundle.activation) bundle.activation.payload = added;
    await expect(verifyBundle(checkOf(bundle))).rejects.toEqual(refused("bad_signature"));
    if (bundle.activation) bundle.activation.signatures = [];
    await expect(verifyBundle(checkOf(bundle))).rejects.toEqual(refused("unsigned"));
    const foreign = await signedBundle({ keys: [newSigningKey()], activation: { overrides: [one] } });
    await expect(verifyBundle(checkOf(foreign))).rejects.toEqual(refused("unknown_kid"));
  });

  it("is refused when it is for another environment, or was signed before the one in force", async () => {
    const elsewhere = await signedBundle({ activation: { overrides: [one], environment: "staging" } });
    await expect(verifyBundle(checkOf(elsewhere))).rejects.toEqual(refused("wrong_scope"));

    const withIt = await signedBundle({ seq: 2, activation: { overrides: [one] } });
    const revoked = await verifyBundle(checkOf(await signedBundle({ seq: 3 })));
    const { ratchet } = revoked.activation;
    await expect(verifyBundle(checkOf(withIt, { ratchet }))).rejects.toEqual(refused("replayed_sequence"));

    // The same sequence number: a refresh that was signed before the one in force brings nothing back.
    const refreshed = await verifyBundle(checkOf(await signedBundle({ seq: 2, activation: { issued_at: hours(1) } })));
    const newer = { ratchet: refreshed.activation.ratchet };
    await expect(verifyBundle(checkOf(withIt, newer))).rejects.toEqual(refused("replayed_sequence"));
    const { issuedAt: _, ...former } = refreshed.activation.ratchet;
    await expect(verifyBundle(checkOf(withIt, { ratchet: former }))).resolves.toBeDefined();
    expect(scope.environment).toBe("prod");
  });

  it("fits into the headers of an answer with twenty of the longest, signed by two keys", async () => {
    const longest = { ...one, policy_id: newId(), rule_id: "r".repeat(128) };
    const overrides = Array.from({ length: maxOverrides }, () => longest);
    const bundle = await signedBundle({ keys: [newSigningKey(), newSigningKey()], activation: { overrides } });
    const { payload = "", signatures = [] } = bundle.activation ?? {};
    // Headers end at 16 KiB, others included.
    expect(encodeStatement({ payload, signatures }).length).toBeLessThan(13_000);
  });

  it("has at most twenty, and each has what it needs", async () => {
    const many = Array.from({ length: maxOverrides + 1 }, (_, at) => ({ ...one, rule_id: `r${at}` }));
    const bad = [many, [{ ...one, until: "soon" }], [{ ...one, rule_id: "" }], {}];
    for (const overrides of bad) {
      const bundle = await signedBundle({ activation: { overrides: overrides as OverrideReference[] } });
      await expect(verifyBundle(checkOf(bundle))).rejects.toEqual(refused("bad_payload"));
    }
  });
});
