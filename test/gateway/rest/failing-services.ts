// A server whose services fail as a test says, and what its callers are told.

import type { ConnectRouter } from "@connectrpc/connect";
import { afterAll, beforeAll, expect } from "vitest";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { WebhookService } from "../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { org, type RunningServer, startServer } from "../server.ts";

/** Where the tests post to. */
export const webhooks = `${org}/webhooks`;
/** Headers of a body in JSON. */
export const json = { "content-type": "application/json" };

/** An answer that refuses a call. */
export interface Refusal {
  readonly status: number;
  readonly error: string;
  readonly message: string;
  readonly fields: { readonly field: string; readonly message: string }[];
  readonly headers: Headers;
}

/** For the tests of a file: services that answer nothing, or fail as they are told, and take bodies of a kibibyte. */
export function useFailingServices() {
  let failure: unknown;
  let calls = 0;
  let server: RunningServer;

  function answer(): Record<string, never> {
    calls++;
    if (failure !== undefined) throw failure;
    return {};
  }

  beforeAll(async () => {
    server = await startServer({ routes: routesOf(answer), limits: { maxBodyBytes: 1024 } });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** A refused call. Every refusal has the same form, and tells nothing of the code. */
  async function get(path: string, init: RequestInit = {}): Promise<Refusal> {
    const response = await fetch(server.url + path, init);
    const text = await response.text();
    expect(response.headers.get("content-type"), text).toBe("application/json; charset=utf-8");
    expect(response.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
    expect(text).not.toMatch(/node_modules|\.ts:|at async/);
    const { detail } = JSON.parse(text);
    return { status: response.status, headers: response.headers, fields: detail.fields ?? [], ...detail };
  }

  function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = json): Promise<Refusal> {
    return get(webhooks, { method: "POST", headers, body });
  }

  /** What a caller is told of an error of the handler. */
  async function raised(error: unknown): Promise<Refusal> {
    failure = error;
    try {
      return await get(webhooks);
    } finally {
      failure = undefined;
    }
  }

  return { url: () => server.url, calls: () => calls, get, post, raised };
}

// The services, each of whose methods answers so.
function routesOf(answer: () => Record<string, never>): (router: ConnectRouter) => void {
  return (router) =>
    void router
      .service(WebhookService, {
        createWebhook: answer,
        listWebhooks: answer,
        updateWebhook: answer,
        deleteWebhook: answer,
        rotateWebhookSecret: answer,
      })
      .service(TraceService, { listTraces: answer })
      .service(BundleService, { getBundle: answer })
      .service(EnvironmentService, { reorderEnvironments: answer })
      .service(PolicyService, { createPolicy: answer });
}
