// An installation whose only policy is about a word.

import { afterAll, beforeAll, expect } from "vitest";
import { eventually } from "../eventually.ts";
import { type Installation, startInstallation } from "../process/installation.ts";
import type { TestRuntime } from "../process/runtime.ts";

/** A second is the promise; the rest is for a machine that has other things to do. */
export const pushLimitMs = 60_000;

/** A policy that acts on a word in inputs. */
export function policyOf(keyword: string, action = "BLOCK"): string {
  return `apiVersion: policyguard/v1
kind: Policy
metadata: {name: words}
defaults: {record: full}
detectors: {words: {use: keywords, keywords: [${keyword}]}}
rules: [{id: word, stages: [input], detect: words, action: ${action}}]
`;
}

/** For the tests of a file: an installation whose only policy acts on the word "forbidden", published. */
export function useWordGuard() {
  let home: Installation;
  let policyId: string;

  beforeAll(async () => {
    home = await startInstallation();
    policyId = await home.createPolicy(policyOf("forbidden"));
    await home.publish();
  });

  afterAll(() => home.stop());

  /** A runtime that has its first bundle. */
  async function loadedRuntime(options: Parameters<Installation["startRuntime"]>[0] = {}): Promise<TestRuntime> {
    const runtime = await home.startRuntime(options);
    await eventually(async () => expect((await runtime.loaded()).bundle?.version).toBeGreaterThan(0));
    return runtime;
  }

  /** The trace of an evaluation, once it is there. */
  function traceOf(id: string) {
    return eventually(() => home.call("GET", `/traces/${id}`));
  }

  /** Publishes the policy with another word or action; its version. */
  async function changePolicy(keyword: string, action?: string): Promise<number> {
    await home.call("PUT", `/policies/${policyId}`, { document: policyOf(keyword, action) });
    return home.publish();
  }

  /** Says how much of texts is reported. */
  async function capture(mode: string): Promise<void> {
    const path = `/projects/${home.world.projectId}/environments/${home.world.environment}`;
    await home.call("PATCH", path, { capture: mode });
  }

  /** Evaluates until the trace of an evaluation says what is expected of it. */
  function untilTraced(runtime: TestRuntime, text: string, expected: object): Promise<void> {
    return eventually(async () => {
      const { body } = await runtime.evaluate({ text });
      expect(await traceOf(body.evaluation_id)).toMatchObject(expected);
    });
  }

  return { home: () => home, loadedRuntime, traceOf, changePolicy, capture, untilTraced };
}
