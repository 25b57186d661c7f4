import { describe, expect, test } from "vitest";
import { json, useFailingServices } from "./failing-services.ts";

const { calls, get, post } = useFailingServices();

describe("readable, but not what the operation takes", () => {
  const url = "https://hooks.example.com/x";
  test.each([
    ["a wrong type", { url: 12, events: [] }, "url", "expected a string, got a number"],
    [
      "a number in a string",
      { url, generate_secret: "true" },
      "generate_secret",
      "expected true or false, got a string",
    ],
    ["null where a value has to be", { url: null }, "url", "expected a string, got null"],
    ["an object where a list has to be", { events: {} }, "events", "expected an array, got an object"],
    ["null where a list has to be", { events: null }, "events", "expected an array, got null"],
    [
      "an unknown enum name",
      { events: ["bundle.published", "no.such"] },
      "events[1]",
      "bundle.published, bundle.activated",
    ],
    ["a Protobuf enum name", { events: ["EVENT_NAME_BUNDLE_PUBLISHED"] }, "events[0]", "expected one of"],
    ["an enum number", { events: [1] }, "events[0]", "expected a string, got a number"],
    ["an unknown field", { nope: 1 }, "nope", "unknown field"],
    ["a camelCase name", { generateSecret: true }, "generateSecret", "did you mean generate_secret?"],
    ["__proto__ as a field", JSON.parse('{"__proto__": 1}'), "__proto__", "unknown field"],
  ])("%s is 422 with the field", async (_, body, field, message) => {
    const got = await post(JSON.stringify(body));
    expect(got).toMatchObject({ status: 422, error: "validation_failed" });
    expect(got.fields).toHaveLength(1);
    expect(got.fields[0]?.field).toBe(field);
    expect(got.fields[0]?.message).toContain(message);
  });

  test("a body that is no object is 422, and nested fields have their path", async () => {
    expect(await post("[]")).toMatchObject({
      status: 422,
      fields: [{ field: "body", message: "expected an object, got an array" }],
    });
    const nested = await get("/v1/orgs/o1/policies", {
      method: "POST",
      headers: json,
      body: '{"scope":{"appId":1,"env":2}}',
    });
    expect(nested.fields.map(({ field }) => field)).toEqual(["scope.appId", "scope.env"]);
  });

  test("every mistake is told at once, up to a bound", async () => {
    const got = await post(JSON.stringify(Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`f${i}`, 1]))));
    expect(got.status).toBe(422);
    expect(got.fields).toHaveLength(32);
  });

  test.each([
    ["/v1/orgs/o1/traces?limit=abc", "limit"],
    ["/v1/orgs/o1/traces?limit=5.5", "limit"],
    ["/v1/orgs/o1/traces?limit=", "limit"],
    ["/v1/orgs/o1/traces?limit=1&limit=2", "limit"],
    ["/v1/orgs/o1/traces?limit=99999999999", "limit"],
    ["/v1/orgs/o1/traces?outcome=OUTCOME_BLOCK", "outcome"],
    ["/v1/orgs/o1/traces?since=2026-02-31T00:00:00Z", "since"],
    ["/v1/orgs/o1/traces?since=2026-11-20", "since"],
    ["/v1/orgs/o1/projects/p/envs/e/bundles/abc", "version"],
    ["/v1/orgs/o1/projects/p/envs/e/bundles/1.0", "version"],
    ["/v1/orgs/o1/traces?limit=%zz", "limit"],
    ["/v1/orgs/o1/projects/p/envs/%ff/bundles/1", "env_name"],
    ["/v1/orgs/%ff/traces", "org_id"],
    ["/v1/orgs/o1/traces?rule_id=%e0%a4", "rule_id"],
    ["/v1/orgs/o1/traces?%=1", "%"],
  ])("%s is 400 that names %s", async (path, field) => {
    const got = await get(path);
    expect(got).toMatchObject({ status: 400, error: "invalid_parameter", fields: [{ field }] });
  });

  test("the two lists of which the interface says so answer 422", async () => {
    const got = await get("/v1/orgs/o1/webhooks?limit=abc");
    expect(got).toMatchObject({ status: 422, error: "validation_failed", fields: [{ field: "limit" }] });
  });

  test("a fault of a parameter beside one of the body is 400 that names both", async () => {
    const got = await get("/v1/orgs/o1/webhooks/%zz", { method: "PATCH", headers: json, body: '{"x":1}' });
    expect(got).toMatchObject({ status: 400, error: "invalid_parameter" });
    expect(got.fields.map(({ field }) => field).sort()).toEqual(["webhook_id", "x"]);
  });

  test("it is raised by the interceptors, so the call is made with the fields of the path", async () => {
    // The handler is never reached; that the interceptor raised it is what makes authentication come first.
    const before = calls();
    expect((await get("/v1/orgs/o1/traces?limit=abc")).status).toBe(400);
    expect(calls()).toBe(before);
  });
});
