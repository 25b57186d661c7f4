// What strangers send in place of names and addresses: each is refused clearly, and nothing is a failure of ours.

import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestControlPlane, type TestControlPlane } from "../../harness/process/control-plane.ts";
import { somewhere } from "../../harness/vector/account-step.ts";
import { createWorld, tokenOf, type World } from "../../harness/vector/world.ts";

let plane: TestControlPlane;
let world: World;

beforeAll(async () => {
  plane = await startTestControlPlane();
  world = await createWorld(plane.database);
});

afterAll(() => plane.stop());

async function call(method: string, request: JsonObject, persona = "admin") {
  const token = await tokenOf(world, persona);
  return plane.caller.call("rest", { method, request, token, headers: somewhere() });
}

const invite = (email: string) => call("TeamService/InviteMember", { org_id: world.orgId, email, role: "viewer" });

describe("an invitation is refused", () => {
  it.each([
    ["nothing", ""],
    ["spaces", "   "],
    ["no domain", "ada@"],
    ["no local part", "@example.com"],
    ["two @", "ada@home@example.com"],
    ["no dot in the domain", "ada@localhost"],
    ["an address of an interface", "ada@[127.0.0.1]"],
    ["dots beside each other", "ada..b@example.com"],
    ["a dot at the end", "ada.@example.com"],
    ["a quoted string", '"ada b"@example.com'],
    ["a display name", "Ada <ada@example.com>"],
    ["a comment", "ada(x)@example.com"],
    ["CR LF and a header", "ada@example.com\r\nBcc: eve@example.com"],
    ["LF and a header in the local part", "ada\nBcc:eve@example.com"],
    ["NUL", "ada\u0000@example.com"],
    ["a list", "ada@example.com,eve@example.com"],
    ["a list with semicolon", "ada@example.com;eve@example.com"],
    ["an escaped line break in the domain", "ada@example.com%0d%0aBcc"],
    ["Cyrillic among Latin letters", "p\u0430ypal@example.com"],
    ["Greek among Latin letters", "g\u03bfogle@example.com"],
    ["an invisible character", "ada\u200b@example.com"],
    ["a right-to-left override", "ada\u202e@example.com"],
    ["a lone surrogate", "ada\ud800@example.com"],
    ["300 characters", `${"a".repeat(300)}@example.com`],
    ["a domain of 300 characters", `ada@${"a.".repeat(150)}com`],
  ])("of %s", async (_, email) => {
    const { status, error } = await invite(email);
    expect([422, 400]).toContain(status);
    expect(error).toBe(status === 422 ? "validation_failed" : "malformed_request");
  });
});

describe("two spellings of one address are one address", () => {
  it.each([
    ["capitals", "Grace@Example.com"],
    ["full-width letters", "\uff47race@example.com"],
    ["a domain in full-width letters", "grace@\uff45xample.com"],
  ])("%s", async (_, email) => {
    await invite("grace@example.com");
    expect((await invite(email)).error).toBe("already_exists");
  });

  it("a domain in Unicode and in its ASCII form", async () => {
    expect((await invite("ada@b\u00fccher.example")).status).toBe(201);
    expect((await invite("ada@xn--bcher-kva.example")).error).toBe("already_exists");
  });
});

describe("ten megabytes", () => {
  const much = "a".repeat(10 * 1024 * 1024);
  it.each([
    [
      "TeamService/InviteMember",
      () => ({ org_id: world.orgId, email: `${much}@example.com`, role: "viewer" }),
      "admin",
    ],
    ["TeamService/AskToJoin", () => ({ org_id: world.orgId, message: much }), "viewer"],
    ["OrganizationService/CreateOrganization", () => ({ name: much }), "viewer"],
    ["AccountService/AcceptInvitation", () => ({ token: much, name: "Eve", password: much }), "anonymous"],
  ])("are too much for %s", async (method, request, persona) => {
    const { status, error } = await call(method, request(), persona);
    expect([status, error]).toEqual([413, "too_large"]);
  });

  it("in the address of a call are refused as well", async () => {
    const confirm = "a".repeat(100_000);
    const { status } = await call("OrganizationService/DeleteOrganization", { org_id: world.orgId, confirm }, "owner");
    expect([413, 414, 422, 431]).toContain(status);
  });
});
