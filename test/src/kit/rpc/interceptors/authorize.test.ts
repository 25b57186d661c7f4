import { createClient, type HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { AccountService } from "../../../../../gen/policyguard/control/v1/account_service_pb.ts";
import { BundleService } from "../../../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { EventName } from "../../../../../gen/policyguard/control/v1/event_pb.ts";
import { ProjectService } from "../../../../../gen/policyguard/control/v1/project_service_pb.ts";
import { TraceService } from "../../../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { WebhookService } from "../../../../../gen/policyguard/control/v1/webhook_service_pb.ts";
import { ReportingService } from "../../../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { accountCallerOf, callerOf, signedInAccount } from "../../../../../src/kit/rpc/context.ts";
import { as, collect, failureOf, foreignOrgId, orgId, otherProjectId, projectId, serve } from "./call.ts";

const data = (context: HandlerContext) => ({ data: new TextEncoder().encode(callerOf(context).orgId) });

function start() {
  const { transport } = serve((router) => {
    router.service(ProjectService, {
      listProjects: (_, context) => ({ total: callerOf(context).role ?? 0 }),
      getProject: (_, context) => ({ project: { orgId: callerOf(context).orgId } }),
    });
    router.service(WebhookService, { createWebhook: () => ({}), listWebhooks: () => ({}) });
    router.service(BundleService, {
      publishBundle: () => ({}),
      getLatestBundle: (_, context) => ({ etag: callerOf(context).orgId }),
      listSigningKeys: () => ({}),
    });
    router.service(TraceService, {
      async *exportTraces({ sessionId }, context) {
        yield data(context);
        yield { contentType: sessionId };
      },
    });
    router.service(ReportingService, {
      async *report(requests, context) {
        for await (const { message } of requests) {
          if (message.case === "batch") yield { message: { case: "ack", value: { lastSeq: message.value.lastSeq } } };
        }
        callerOf(context);
      },
    });
  });
  return {
    projects: createClient(ProjectService, transport),
    webhooks: createClient(WebhookService, transport),
    bundles: createClient(BundleService, transport),
    traces: createClient(TraceService, transport),
    reporting: createClient(ReportingService, transport),
  };
}

async function* reports() {
  yield { message: { case: "batch" as const, value: { firstSeq: 1, lastSeq: 7, records: [] } } };
}

describe("the organization", () => {
  test.each(["admin", "ci", "runtime", "viewer", "owner", "guest"])(
    "a foreign, unknown or malformed one gets %s one and the same refusal",
    async (token) => {
      const { projects } = start();
      const answers = new Set<string>();
      for (const org of [
        foreignOrgId,
        otherProjectId,
        "00000000-0000-0000-0000-000000000000",
        "",
        "../x",
        `${orgId} `,
      ]) {
        const { code, reason, message, extra } = await failureOf(projects.listProjects({ orgId: org }, as(token)));
        answers.add(JSON.stringify({ code, reason, message, extra }));
      }
      expect([...answers]).toEqual([
        JSON.stringify({
          code: "PermissionDenied",
          reason: "FOREIGN_ORGANIZATION",
          message: "this credential has no access to this organization",
          extra: {},
        }),
      ]);
    },
  );

  test("an id in capitals is the same id, and the caller has the canonical one", async () => {
    const { projects } = start();
    const { project } = await projects.getProject({ orgId: orgId.toUpperCase(), projectId }, as("admin"));
    expect(project?.orgId).toBe(orgId);
  });

  test("a member acts in the named one of several, with the role there", async () => {
    const { projects } = start();
    expect((await projects.listProjects({ orgId }, as("consultant"))).total).toBe(3);
    expect((await projects.listProjects({ orgId: otherProjectId }, as("consultant"))).total).toBe(1);
  });

  test("is the credential's own where the method names none", async () => {
    const { bundles } = start();
    expect((await bundles.getLatestBundle({}, as("runtime"))).etag).toBe(orgId);
    await bundles.listSigningKeys({}, as("viewer"));
    expect((await failureOf(bundles.listSigningKeys({}, as("consultant")))).reason).toBe("INSUFFICIENT_SCOPE");
    expect((await failureOf(bundles.listSigningKeys({}, as("guest")))).reason).toBe("FOREIGN_ORGANIZATION");
  });
});

describe("the kind of credential", () => {
  test("must be one that the method accepts, and the refusal names those", async () => {
    const { bundles, webhooks } = start();
    const publish = bundles.publishBundle({ orgId, projectId, envName: "prod" }, as("runtime"));
    expect(await failureOf(publish)).toMatchObject({
      code: "PermissionDenied",
      reason: "INSUFFICIENT_SCOPE",
      message: "this operation is for members, ci tokens, and admin tokens; yours is a runtime token",
    });
    expect((await failureOf(webhooks.listWebhooks({ orgId }, as("ci")))).reason).toBe("INSUFFICIENT_SCOPE");
    expect((await failureOf(bundles.getLatestBundle({}, as("admin")))).reason).toBe("INSUFFICIENT_SCOPE");
  });
});

describe("the role of a member", () => {
  test("must be at least the method's, and the refusal names it", async () => {
    const { webhooks } = start();
    const request = { orgId, url: "https://hooks.example.com", events: [EventName.BUNDLE_ACTIVATED] };
    for (const token of ["viewer", "editor"]) {
      expect(await failureOf(webhooks.createWebhook(request, as(token)))).toMatchObject({
        reason: "INSUFFICIENT_SCOPE",
        message: "this operation needs the role admin",
      });
    }
    await webhooks.createWebhook(request, as("owner"));
    await webhooks.createWebhook(request, as("consultant"));
  });

  test("is the one in the organization of the call, not in another", async () => {
    const { webhooks } = start();
    const request = { orgId: otherProjectId, url: "https://hooks.example.com", events: [EventName.BUNDLE_ACTIVATED] };
    expect((await failureOf(webhooks.createWebhook(request, as("consultant")))).reason).toBe("INSUFFICIENT_SCOPE");
  });
});

describe("the project", () => {
  test.each([otherProjectId, "00000000-0000-0000-0000-000000000000", "", "no-uuid"])(
    "%j is refused to a ci token of another, whether or not it exists",
    async (other) => {
      const { bundles } = start();
      const publish = bundles.publishBundle({ orgId, projectId: other, envName: "prod" }, as("ci"));
      expect(await failureOf(publish)).toMatchObject({
        reason: "INSUFFICIENT_SCOPE",
        message: "this token is for another project",
      });
    },
  );

  test("of the ci token is its own in any spelling, and tokens without project reach all", async () => {
    const { bundles } = start();
    for (const [id, token] of [
      [projectId, "ci"],
      [projectId.toUpperCase(), "ci"],
      [otherProjectId, "admin"],
      [otherProjectId, "editor"],
    ] as const) {
      await bundles.publishBundle({ orgId, projectId: id, envName: "prod" }, as(token));
    }
  });
});

describe("streams", () => {
  test("a streamed answer is authorized by its one request, which the handler still gets", async () => {
    const { traces } = start();
    const rows = await collect(traces.exportTraces({ orgId, sessionId: "s-1" }, as("viewer")));
    expect(rows.map((row) => row.contentType || new TextDecoder().decode(row.data))).toEqual([orgId, "s-1"]);
    const foreign = collect(traces.exportTraces({ orgId: foreignOrgId }, as("viewer")));
    expect((await failureOf(foreign)).reason).toBe("FOREIGN_ORGANIZATION");
    expect((await failureOf(collect(traces.exportTraces({ orgId }, as("ci"))))).reason).toBe("INSUFFICIENT_SCOPE");
  });

  test("a stream of requests is authorized by the credential alone", async () => {
    const { reporting } = start();
    const answers = await collect(reporting.report(reports(), as("runtime")));
    expect(answers.map(({ message }) => message.value)).toMatchObject([{ lastSeq: 7 }]);
    expect((await failureOf(collect(reporting.report(reports(), as("admin"))))).reason).toBe("INSUFFICIENT_SCOPE");
  });
});

describe("the signed-in account", () => {
  const countRequest = async () => undefined;
  const { transport } = serve(
    (router) => {
      router.service(AccountService, {
        getMe: (_, context) => {
          const { accountId: id, sessionId: name } = accountCallerOf(context);
          return { account: { id, name } };
        },
        acceptInvitation: (_, context) => ({ account: { id: signedInAccount(context)?.accountId ?? "a stranger" } }),
        login: (_, context) => ({ account: { id: signedInAccount(context)?.accountId ?? "a stranger" } }),
      });
    },
    { countRequest },
  );
  const accounts = createClient(AccountService, transport);

  test.each(["viewer", "owner", "guest", "consultant"])(
    "of %s is the caller, whatever its organizations",
    async (token) => {
      const { account } = await accounts.getMe({}, as(token));
      expect(account).toMatchObject({ id: `${token}@example.com`, name: `session of ${token}@example.com` });
    },
  );

  test.each(["admin", "ci", "runtime"])("is nobody behind an %s token", async (token) => {
    expect((await failureOf(accounts.getMe({}, as(token)))).reason).toBe("INSUFFICIENT_SCOPE");
  });

  test("is recognised by a public method that asks for it; everybody else is anonymous", async () => {
    const accept = async (token?: string) => {
      const options = token === undefined ? {} : as(token);
      return (await accounts.acceptInvitation({ token: "x" }, options)).account?.id;
    };
    expect(await accept("viewer")).toBe("viewer@example.com");
    expect(await accept("guest")).toBe("guest@example.com");
    for (const token of [undefined, "admin", "nobody's"]) expect(await accept(token)).toBe("a stranger");
  });

  test("is ignored by a public method that does not ask", async () => {
    const { account } = await accounts.login({ email: "ada@example.com", password: "x" }, as("viewer"));
    expect(account?.id).toBe("a stranger");
  });
});
