import { createClient } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { ProjectService } from "../../../../../gen/policyguard/control/v1/project_service_pb.ts";
import { WebhookService } from "../../../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { callerKey } from "../../../../../src/kit/rpc/context.ts";
import { withAccess } from "../../crypto/altered.ts";
import { failureOf, orgId, serve } from "./call.ts";

function start() {
  const fixture = serve(
    (router) => {
      router.service(ProjectService, { listProjects: () => ({ total: 1 }) });
      router.service(WebhookService, { listWebhooks: () => ({ total: 2 }) });
    },
    { connection: { address: "203.0.113.9" } },
  );
  const projects = createClient(ProjectService, fixture.transport);
  const webhooks = createClient(WebhookService, fixture.transport);
  return {
    ...fixture,
    list: (headers: Record<string, string>) => projects.listProjects({ orgId }, { headers }),
    hooks: (headers: Record<string, string>) => webhooks.listWebhooks({ orgId }, { headers }),
  };
}

test.each(["Bearer admin", "bearer admin", "BEARER  admin "])("%j is a credential", async (authorization) => {
  const { list, lookUps } = start();
  expect((await list({ Authorization: authorization, "X-Request-Id": "r-1" })).total).toBe(1);
  expect(lookUps).toMatchObject([["admin", { requestId: "r-1", address: "203.0.113.9" }]]);
});

test.each([
  [{}],
  [{ Authorization: "" }],
  [{ Authorization: "admin" }],
  [{ Authorization: "Bearer" }],
  [{ Authorization: "Bearer admin extra" }],
  [{ Authorization: "Basic YWRtaW46eA==" }],
  [{ Authorization: "Bearer unknown" }],
])("%j is refused, and every refusal is the same", async (headers) => {
  const told = await failureOf(start().list(headers));
  expect(told).toMatchObject({
    code: "Unauthenticated",
    reason: "UNAUTHENTICATED",
    message: "missing or invalid credential",
    extra: {},
  });
  expect(told.error.metadata.get("WWW-Authenticate")).toBe('Bearer realm="policy-guard"');
});

test("X-API-Key counts only for methods that accept it", async () => {
  const { hooks, list, lookUps } = start();
  expect((await hooks({ "X-API-Key": "admin" })).total).toBe(2);
  expect((await failureOf(list({ "X-API-Key": "admin" }))).reason).toBe("UNAUTHENTICATED");
  expect(lookUps).toHaveLength(1);
});

test.each([
  [{ "X-API-Key": "admin", Authorization: "Bearer admin" }],
  [{ "X-API-Key": "", Authorization: "Bearer admin" }],
  [{ "X-API-Key": "admin", Authorization: "" }],
  [{ "X-API-Key": "unknown", Authorization: "Bearer admin" }],
  [{ "X-API-Key": "admin", Authorization: "Bearer unknown" }],
  [{ "X-API-Key": "admin", Authorization: "Basic YWRtaW46eA==" }],
])("of %j one is good, which suffices", async (headers) => {
  expect((await start().hooks(headers)).total).toBe(2);
});

test("two valid tokens are refused, two invalid ones are no credential", async () => {
  const { hooks } = start();
  const two = await failureOf(hooks({ "X-API-Key": "owner", Authorization: "Bearer admin" }));
  expect(two).toMatchObject({ code: "InvalidArgument", reason: "INVALID_PARAMETER" });
  expect(two.extra).toMatchObject({ fields: [{ field: "Authorization" }, { field: "X-API-Key" }] });
  const none = await failureOf(hooks({ "X-API-Key": "unknown", Authorization: "Bearer unheard-of" }));
  expect(none.reason).toBe("UNAUTHENTICATED");
});

test("an empty header is no credential", async () => {
  const { hooks, lookUps } = start();
  expect((await failureOf(hooks({ "X-API-Key": "", Authorization: "" }))).reason).toBe("UNAUTHENTICATED");
  expect(lookUps).toEqual([]);
});

test("a public method asks for no credential and has no caller", async () => {
  const service = withAccess(ProjectService, "ListProjects", { public: true });
  const { transport, lookUps } = serve((router) => {
    router.service(service, {
      listProjects: (_, context) => ({ total: context.values.get(callerKey) === undefined ? 1 : 2 }),
    });
  });
  const client = createClient(service, transport);
  expect((await client.listProjects({ orgId })).total).toBe(1);
  expect((await client.listProjects({ orgId }, { headers: { Authorization: "Bearer garbled" } })).total).toBe(1);
  expect(lookUps).toEqual([]);
});
