// A detector backend on its way through a bundle: what the control plane writes, and what a runtime reads.

import { expect, it } from "vitest";
import { backendsOf } from "../../../../runtime/bundle/compile.ts";
import { BundleRejection } from "../../../../runtime/bundle/rejection.ts";
import { runtimeVersion } from "../../../../runtime/bundle/version.ts";
import { presetOf } from "../../../../runtime/engine/backend/preset-catalog.ts";
import { backendPart } from "../../../../src/domain/policy/detector-backend.ts";
import { minRuntimeOf } from "../../../../src/kit/bundle/min-runtime.ts";
import { canonicalBytes } from "../../../../src/kit/crypto/canonical.ts";
import { isOlderVersion } from "../../../../src/kit/process/version.ts";
import { DetectorBackendRow } from "../../../../src/store/policy/detector-backend.ts";

const usual = {
  ...{ orgId: "o", key: "guard", url: "http://guard.internal/x", shape: "policy-guard", timeoutMs: 200 },
  ...{ authHeader: null, digest: null, preset: null, model: null, createdAt: new Date(0), updatedAt: new Date(0) },
};

function sent(more: Partial<typeof usual> | Readonly<Record<string, string>>) {
  const data = canonicalBytes(backendPart(Object.assign(new DetectorBackendRow(), usual, more)));
  const path = "backends/guard.json";
  return {
    backend: backendsOf({ parts: new Map([[path, data]]) }).get("guard"),
    minRuntime: minRuntimeOf([{ path, data }]),
  };
}

it("takes along what labels mean, and the model that is asked for", () => {
  const { backend } = sent({ shape: "llama-guard", preset: "llama-guard-3", model: "guard:1b" });
  const { labels = {}, ignore = [] } = presetOf("llama-guard-3") ?? {};
  expect(backend).toMatchObject({ shape: "llama-guard", model: "guard:1b", meanings: { labels, ignore } });
});

it("takes along what a model is asked", () => {
  const { backend } = sent({ shape: "yes-no-guard", preset: "shieldgemma" });
  const { labels, ignore, questions } = presetOf("shieldgemma") ?? {};
  expect(Object.keys(questions?.templates ?? {}).length).toBe(4);
  expect(backend?.meanings).toEqual({ labels, ignore, questions });
});

it("is not adopted when it does not say what to ask", () => {
  expect(() => sent({ shape: "yes-no-guard" })).toThrow(BundleRejection);
  expect(() => sent({ shape: "yes-no-guard", preset: "llama-guard-3" })).toThrow("does not know how to call");
});

it("says nothing of labels without a preset, as before there were presets", () => {
  const { backend, minRuntime } = sent({});
  expect([backend?.meanings, backend?.model, minRuntime]).toEqual([undefined, undefined, "1.0.0"]);
});

it.each<[string, Readonly<Record<string, string>>]>([
  ["a preset", { shape: "hf-text-classification", preset: "toxic-bert" }],
  ["a model to ask for", { shape: "openai-moderation", model: "omni-moderation-latest" }],
  ["the shape tei-predict", { shape: "tei-predict" }],
  ["the shape llama-guard", { shape: "llama-guard" }],
  ["the shape qwen3-guard", { shape: "qwen3-guard" }],
  ["the shape yes-no-guard", { shape: "yes-no-guard", preset: "granite-guardian" }],
])("needs a runtime that knows it: %s", (_, more) => {
  const { minRuntime } = sent(more);
  expect(minRuntime).toBe("1.3.0");
  expect(isOlderVersion(runtimeVersion, minRuntime)).toBe(false);
});
