// The load under which processes are killed, and what it was told.

import { setTimeout as sleep } from "node:timers/promises";
import { newId } from "../../../src/kit/process/id.ts";
import { eventually } from "../eventually.ts";
import type { WebhookSink } from "../net/webhook-sink.ts";
import type { World } from "../vector/world.ts";

/** What callers were told. */
export interface Ledger {
  /** Evaluations that were answered, and whether they were blocked. */
  readonly evaluations: Map<string, boolean>;
  /** Versions of the policy that were answered with 200. */
  readonly policyVersions: number[];
  /** Versions of bundles that were answered with 201. */
  readonly bundleVersions: number[];
  /** Answers that should not have been. */
  readonly wrong: string[];
}

const policyOf = (description: string) => `apiVersion: policyguard/v1
kind: Policy
metadata: {name: words, description: ${description}}
detectors: {words: {use: keywords, keywords: [forbidden]}}
rules: [{id: word, stages: [input], detect: words, action: BLOCK}]
`;

/** A call of the control plane. */
export type Api = (
  method: string,
  path: string,
  body: object,
) => Promise<{ readonly status: number; readonly body: Reply }>;
interface Reply {
  readonly id: string;
  readonly version: number;
}

/** Calls the control plane with the admin token. */
export function createApi(baseUrl: string, { orgId, tokens }: Pick<World, "orgId" | "tokens">): Api {
  return async (method, path, body) => {
    const response = await fetch(`${baseUrl}/v1/orgs/${orgId}${path}`, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${tokens.admin}` },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
}

/** Creates a webhook that listens to everything, and a policy that is in force. Returns the policy's id. */
export async function setUp(
  call: Api,
  { projectId, environment }: Pick<World, "projectId" | "environment">,
  sink: WebhookSink,
): Promise<string> {
  const events = ["evaluation.blocked", "policy.updated", "bundle.published", "bundle.activated"];
  const webhook = await call("POST", "/webhooks", { url: sink.url, events });
  if (webhook.status !== 201) throw new Error(`no webhook: ${JSON.stringify(webhook.body)}`);
  // Under much load the analysis of a policy may be refused for the moment; then nothing was made.
  const made = (path: string, body: object) =>
    eventually(async () => {
      const reply = await call("POST", path, body);
      if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
      return reply.body;
    }, 300_000);
  const { id } = await made("/policies", { document: policyOf("first"), scope: { app_id: projectId } });
  await made(`/projects/${projectId}/envs/${environment}/bundles/publish`, { activate: true });
  return id;
}

/** Whether an evaluation was blocked; undefined when nobody answered. Other answers throw. */
type Evaluate = (id: string, text: string) => Promise<boolean | undefined>;

/** Evaluates over REST. */
export function createEvaluate(url: string, token: string): Evaluate {
  return async (id, text) => {
    let response: Response;
    let body: { readonly blocked?: boolean };
    try {
      response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
        body: JSON.stringify({ evaluation_id: id, text }),
      });
      body = JSON.parse(await response.text());
    } catch {
      return undefined; // the connection broke
    }
    if (response.status >= 500) return undefined;
    if (response.status !== 200) throw new Error(`an evaluation was answered ${response.status}`);
    return body.blocked === true;
  };
}

type Change = (number: number) => Promise<{ readonly policy?: number; readonly bundle?: number }>;

/**
 * Makes a new version of the policy, and every third time a new bundle. What broke off may or may not have happened.
 */
export function createChange(call: Api, { projectId, environment }: World, policyId: string): Change {
  return async (number) => {
    try {
      if (number % 3 === 2) {
        const path = `/projects/${projectId}/envs/${environment}/bundles/publish`;
        const { status, body } = await call("POST", path, { activate: true });
        return status === 201 ? { bundle: body.version } : {};
      }
      const { status, body } = await call("PUT", `/policies/${policyId}`, { document: policyOf(`change-${number}`) });
      return status === 200 ? { policy: body.version } : {};
    } catch {
      return {};
    }
  };
}

/** Evaluates and changes until stopped, and writes down what was answered. */
export function startLoad(
  ledger: Ledger,
  { evaluate, change }: { evaluate: Evaluate; change: Change },
  random: () => number,
) {
  let isOver = false;
  const evaluating = async () => {
    while (!isOver) {
      const id = newId();
      const isForbidden = random() < 0.4;
      // Evaluations are safe to retry: the same id until somebody answers.
      for (let answer: boolean | undefined; answer === undefined; ) {
        await sleep(20);
        try {
          answer = await evaluate(id, isForbidden ? "a forbidden word" : "a word");
        } catch (error) {
          ledger.wrong.push(String(error));
          break;
        }
        if (answer === undefined) continue;
        ledger.evaluations.set(id, answer);
        if (answer !== isForbidden) ledger.wrong.push(`${id} was ${answer ? "blocked" : "let through"}`);
      }
    }
  };
  const changing = async () => {
    for (let number = 0; !isOver; number++) {
      const { policy, bundle } = await change(number);
      if (policy !== undefined) ledger.policyVersions.push(policy);
      if (bundle !== undefined) ledger.bundleVersions.push(bundle);
      await sleep(60);
    }
  };
  const running = Promise.all([evaluating(), evaluating(), evaluating(), changing()]);
  return {
    async stop() {
      isOver = true;
      await running;
    },
  };
}
