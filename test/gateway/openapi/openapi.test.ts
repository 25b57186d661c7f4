import { readFileSync } from "node:fs";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import { beforeAll, describe, expect, test } from "vitest";
import { createDocsPage } from "../../../gateway/docs/page.ts";
import { type Document, type Operation, operationKeys } from "../../../gateway/openapi/model.ts";
import { restrictDocument } from "../../../gateway/openapi/restrict.ts";
import { createBinder } from "../../../gateway/rest/bind.ts";
import { isConversation, nameOf, type Route, routesOf } from "../../../gateway/route/route.ts";
import { AdapterService } from "../../../gen/policyguard/runtime/v1/adapter_service_pb.ts";
import { EvaluationService } from "../../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { controlServices } from "../../../src/control-services.ts";
import { newSecret, webhookHeaders } from "../../../src/domain/webhook/request.ts";
import { reasonRules } from "../../../src/kit/fault/fault.ts";
import { startServer } from "../server.ts";

const text = readFileSync(new URL("../../../gen/rest/openapi.json", import.meta.url), "utf8");
const document: Document = JSON.parse(text);
const routes = routesOf([...controlServices, EvaluationService, AdapterService]);

const message = { id: "evt_1", event: "policy.updated", attempt: 1, sentAt: new Date(0), body: Buffer.from("{}") };

interface Placed {
  readonly verb: string;
  readonly path: string;
  readonly operation: Operation;
}

const operations: Placed[] = Object.entries(document.paths).flatMap(([path, item]) =>
  operationKeys.flatMap((verb) => (item[verb] === undefined ? [] : [{ verb, path, operation: item[verb] }])),
);

describe("gen/rest/openapi.json", () => {
  test("has every route that is served, and no other", () => {
    const served = routes.map((route) => `${route.verb} ${route.path} ${nameOf(route.method)}`).sort();
    const described = operations.map(
      ({ verb, path, operation }) => `${verb.toUpperCase()} ${path} ${operation["x-policy-guard-method"]}`,
    );
    expect(described.sort()).toEqual(served);
  });

  test("every reference leads somewhere", () => {
    const references = [...text.matchAll(/"\$ref": "([^"]+)"/g)].map(([, reference = ""]) => reference);
    expect(references.length).toBeGreaterThan(500);
    for (const reference of new Set(references)) expect(resolve(reference), reference).toBeDefined();
  });

  test("every field of a path is declared, operation ids differ, summaries are there", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = operation.parameters.filter((parameter) => parameter.in === "path");
      expect(declared.map((parameter) => parameter.name)).toEqual(named);
      expect(declared.every((parameter) => parameter.required)).toBe(true);
      expect(operation.summary, operation.operationId).not.toBe("");
      expect(document.tags.map((tag) => tag.name)).toEqual(expect.arrayContaining([...operation.tags]));
    }
  });

  test("every operation says what can go wrong by its access, path and body", () => {
    for (const { operation } of operations) {
      const statuses = Object.keys(operation.responses);
      expect(statuses).toEqual(expect.arrayContaining(["500", "default"]));
      if (operation["x-policy-guard-access"].public !== true)
        expect(statuses).toEqual(expect.arrayContaining(["401", "403"]));
      if (operation.requestBody !== undefined)
        // SCIM knows no 422.
        expect(statuses).toEqual(
          expect.arrayContaining([
            "400",
            "413",
            "415",
            ...("application/scim+json" in operation.requestBody.content ? [] : ["422"]),
          ]),
        );
    }
  });

  test("X-API-Key is offered exactly on the operations that take it", () => {
    const offered = operations.filter(({ operation }) => operation.security.some((scheme) => "apiKey" in scheme));
    expect(new Set(offered.flatMap(({ operation }) => operation.tags))).toEqual(new Set(["Webhook", "Adapter"]));
  });

  test("the catalogue of codes is complete", () => {
    const codes = JSON.stringify(document.components.schemas.ErrorCode);
    for (const rule of reasonRules()) expect(codes).toContain(`"const":"${rule.error}"`);
  });

  test("answers list every field as required, requests refuse further ones, names are snake_case", () => {
    const { Webhook, CreateWebhookRequest, CreateWebhookResponse } = document.components.schemas;
    expect(Webhook?.required).toEqual(Object.keys(Webhook?.properties as JsonObject));
    expect(CreateWebhookRequest).toMatchObject({ additionalProperties: false, required: ["url", "events"] });
    expect(CreateWebhookRequest?.properties).toMatchObject({
      url: { type: "string", minLength: 1, maxLength: 2048 },
      events: { type: "array", minItems: 1 },
      generate_secret: { type: ["boolean", "null"] },
    });
    expect(Object.keys(CreateWebhookRequest?.properties as JsonObject)).not.toContain("org_id");
    expect(CreateWebhookResponse?.properties).toMatchObject({ secret: { type: ["string", "null"] } });
    expect(document.components.schemas.EventName?.enum).toContain("evaluation.blocked");
  });

  test("has each event as a webhook: its own body, an example that fits, the headers that deliveries carry", () => {
    expect(Object.keys(document.webhooks)).toEqual(document.components.schemas.EventName?.enum);
    const sent = webhookHeaders({ ...message, secret: newSecret(), previousSecret: newSecret() });
    for (const [name, { post }] of Object.entries(document.webhooks)) {
      const { schema, example } = post.requestBody?.content["application/json"] ?? { schema: {} };
      expect(schema.properties).toMatchObject({ event: { const: name } });
      const { id, data, ...rest } = example as JsonObject;
      expect(rest).toEqual({ event: name, created_at: "2026-11-20T09:00:00Z", org_id: expect.any(String) });
      expect(id).toMatch(/^evt_[0-9a-f-]{36}$/);
      const reference = (schema.properties as Record<string, JsonObject>).data?.$ref;
      const described = Object.keys((resolve(String(reference))?.properties ?? {}) as JsonObject);
      expect(Object.keys(data as JsonObject)).toEqual(described);
      expect(described.length).toBeGreaterThan(2);
      const own = Object.keys(sent).filter((header) => !["Content-Type", "User-Agent"].includes(header));
      expect(post.parameters.map((parameter) => parameter.name)).toEqual(own);
    }
  });

  test("events.json says the same, each schema complete in itself", () => {
    const printed = readFileSync(new URL("../../../gen/rest/events.json", import.meta.url), "utf8");
    const events: { name: string; schema: JsonObject; example: JsonObject }[] = JSON.parse(printed);
    expect(events.map(({ name }) => name)).toEqual(Object.keys(document.webhooks));
    for (const { name, schema, example } of events) {
      expect(example).toEqual(document.webhooks[name]?.post.requestBody?.content["application/json"]?.example);
      for (const [, target = ""] of JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)) {
        expect(schema.$defs).toHaveProperty([target]);
      }
      expect(JSON.stringify(schema)).not.toContain("#/components/");
    }
  });

  test("304, response headers and request headers are described", () => {
    const latest = document.paths["/v1/bundles/latest"]?.get;
    expect(latest?.responses["304"]).toMatchObject({ headers: { ETag: {} } });
    expect(latest?.parameters).toMatchObject([
      { name: "If-None-Match", in: "header" },
      { name: "Prefer", in: "header" },
    ]);
  });
});

describe("examples of requests", () => {
  const validator = createValidator();
  // A conversation's lines are bound by whoever serves it.
  const withBody = routes.filter((route) => route.body !== "" && !isConversation(route.method));

  test.each(withBody.map((route) => [nameOf(route.method), route] as const))(
    "%s: is bound and passes the rules",
    (_, route) => {
      const { message, finish } = createBinder(route)({ params: sampleParams(route), query: "", headers: {} });
      expect(finish(exampleOf(route))?.extra).toBeUndefined();
      expect(validator.validate(route.method.input, message)).toMatchObject({ kind: "valid" });
    },
  );

  test.each(withBody.map((route) => [nameOf(route.method), route] as const))(
    "%s: without a field that is listed as required, a rule is broken",
    (_, route) => {
      const example = exampleOf(route) as JsonObject;
      for (const name of requiredOf(route)) {
        const { [name]: _removed, ...rest } = example;
        const { message, finish } = createBinder(route)({ params: sampleParams(route), query: "", headers: {} });
        const fault = finish(rest);
        expect(fault === undefined && validator.validate(route.method.input, message).kind === "valid", name).toBe(
          false,
        );
      }
    },
  );

  function exampleOf(route: Route): JsonValue | undefined {
    return operationOf(route)?.requestBody?.content["application/json"]?.example;
  }

  function requiredOf(route: Route): string[] {
    const schema = resolve(String(operationOf(route)?.requestBody?.content["application/json"]?.schema.$ref));
    return Array.isArray(schema?.required) ? schema.required.map(String) : [];
  }

  function operationOf(route: Route): Operation | undefined {
    return operations.find(({ operation }) => operation["x-policy-guard-method"] === nameOf(route.method))?.operation;
  }

  function sampleParams(route: Route): Record<string, string> {
    const id = "5b0f2b0e-4a1c-4c07-9a3b-0d6b3f0b9d11";
    return Object.fromEntries(
      route.pathFields.map(({ name }) => [name, name === "version" ? "1" : name.endsWith("_id") ? id : "prod"]),
    );
  }
});

describe("a restricted document", () => {
  const restricted: Document = JSON.parse(restrictDocument(text, [EvaluationService]));

  test("has the operations of the services that are served, and what they need", () => {
    const paths = new Set(routesOf([EvaluationService]).map(({ path }) => path));
    expect(Object.keys(restricted.paths).sort()).toEqual([...paths].sort());
    expect(restricted.paths["/v1/evaluate/input"]).not.toHaveProperty("servers");
    expect(Object.keys(restricted.components.schemas)).toEqual(
      expect.arrayContaining(["EvaluateRequest", "Finding", "ErrorEnvelope"]),
    );
    expect(restricted.components.schemas).not.toHaveProperty("Webhook");
    expect(restricted.webhooks).toEqual({});
    expect(restricted.tags.map((tag) => tag.name)).toEqual(["Evaluation"]);
  });
});

describe("the pages", () => {
  const paths = { openApi: () => text, documentPath: "/v1/openapi.json", docsPath: "/docs" };
  let html = "";
  let policy = "";
  beforeAll(() => {
    ({ html, contentSecurityPolicy: policy } = createDocsPage(text, "/v1/openapi.json"));
  });

  test("/docs has every operation, every schema, and no link that leads nowhere", () => {
    for (const { operation, path } of operations) {
      expect(html).toContain(`id="${operation.operationId}"`);
      expect(html).toContain(path);
    }
    for (const name of Object.keys(document.webhooks)) expect(html).toContain(`id="event-${name}"`);
    const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const [, target] of html.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  test("/docs loads nothing from anywhere, and its policy allows only what it carries", () => {
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(html).not.toMatch(/ on\w+="|javascript:| style="/);
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+';/);
  });

  test("a description is shown as text", () => {
    const hostile = text.replace('"title": "Policy Guard"', '"title": "<script>alert(1)</script>"');
    expect(createDocsPage(hostile, "/v1/openapi.json").html).not.toContain("<script>alert(1)");
  });

  test("are served with an entity tag and 304", async () => {
    await using server = await startServer({ routes: () => undefined, pages: { ...paths, hasFrontPage: true } });
    for (const [path, type] of [
      ["/v1/openapi.json", "application/json; charset=utf-8"],
      ["/docs", "text/html; charset=utf-8"],
    ]) {
      const full = await fetch(server.url + path);
      expect([full.status, full.headers.get("content-type")]).toEqual([200, type]);
      if (path === "/v1/openapi.json") expect(await full.text()).toBe(text);
      else expect(full.headers.get("content-security-policy")).toBe(policy);
      const again = await fetch(server.url + path, { headers: { "if-none-match": full.headers.get("etag") ?? "" } });
      expect([again.status, await again.text()]).toEqual([304, ""]);
    }
    expect((await fetch(`${server.url}/docs`, { method: "POST" })).status).toBe(405);
  });

  test("are compressed for whoever takes that, and caches are told so", async () => {
    await using server = await startServer({ routes: () => undefined, pages: { ...paths, hasFrontPage: true } });
    for (const [path, plain] of [
      ["/v1/openapi.json", text],
      ["/docs", html],
    ] as const) {
      const send = (headers: Record<string, string>) => fetch(server.url + path, { headers });
      const [whole, small] = [await send({ "accept-encoding": "identity" }), await send({ "accept-encoding": "gzip" })];
      expect([whole, small].map(({ headers }) => headers.get("content-encoding"))).toEqual([null, "gzip"]);
      expect(Number(small.headers.get("content-length"))).toBeLessThan(Buffer.byteLength(plain) / 5);
      expect(await small.text()).toBe(plain);
      for (const { headers } of [whole, small, await send({ "if-none-match": small.headers.get("etag") ?? "" })]) {
        expect(headers.get("vary")).toBe("accept-encoding");
      }
    }
  });

  test("/ shows the version, calls that there are, and links that lead somewhere", async () => {
    await using server = await startServer({ routes: () => undefined, pages: { ...paths, hasFrontPage: true } });
    const front = await fetch(server.url);
    expect(front.headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/);
    const page = await front.text();
    expect(page).toContain(`version ${document.info.version},`);
    expect(page).not.toMatch(/console|(?:src|href)="(?:https?:)?\/\//);
    const links = [...page.matchAll(/href="(\/[^"]*)"/g)].map(([, link = ""]) => link);
    const calls = [...page.matchAll(/\$BASE_URL(\/[^?&]*)/g)].map(([, path = ""]) =>
      path.replace("$ORG_ID", "{org_id}"),
    );
    expect(calls.length).toBe(2);
    const there = Object.keys(document.paths).concat(paths.docsPath, paths.documentPath);
    expect([...links, ...calls].filter((path) => !there.includes(path))).toEqual([]);
    expect(links).toEqual(expect.arrayContaining([paths.docsPath, paths.documentPath]));
  });

  test("a server may have them elsewhere, and then nowhere else", async () => {
    const documentPath = "/v1/evaluate/openapi.json";
    const pages = { openApi: () => text, documentPath, docsPath: "/v1/evaluate/docs", hasFrontPage: false };
    await using server = await startServer({ routes: () => undefined, pages });
    expect(await (await fetch(server.url + documentPath)).text()).toBe(text);
    const page = await (await fetch(`${server.url}/v1/evaluate/docs`)).text();
    expect(page).toContain(`href="${documentPath}"`);
    expect(page).not.toContain('href="/v1/openapi.json"');
    for (const path of ["/", "/docs", "/v1/openapi.json"]) expect((await fetch(server.url + path)).status).toBe(404);
  });
});

function resolve(reference: string): JsonObject | undefined {
  const [, , kind = "", name = ""] = reference.split("/");
  return (document.components as unknown as Record<string, Record<string, JsonObject>>)[kind]?.[name];
}
