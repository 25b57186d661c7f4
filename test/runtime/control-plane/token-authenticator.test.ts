import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { CredentialKind } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { TokenDigestSchema } from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { TokenAuthenticator } from "../../../runtime/control-plane/token-authenticator.ts";
import { newToken, tokenDigest } from "../../../src/kit/crypto/token.ts";

const first = { orgId: "o", projectId: "p", environment: "prod" };

function digestOf(token: string, notAfter?: Date) {
  return create(TokenDigestSchema, {
    sha256: Uint8Array.from(tokenDigest(token)),
    kind: CredentialKind.RUNTIME,
    projectId: "p",
    environment: "prod",
    notAfter: notAfter && timestampFromDate(notAfter),
  });
}

/** TokenAuthenticator with a scope and a time that the test moves. */
function access() {
  const state = { scope: first, timeMs: 1_000_000 };
  const made = new TokenAuthenticator(() => state.scope, { now: () => new Date(state.timeMs) });
  return { state, access: made };
}

describe("a token that was valid a moment ago", () => {
  const token = newToken(CredentialKind.RUNTIME);

  it("has the same credential again", () => {
    const { access: made } = access();
    made.replace([digestOf(token)]);
    expect(made.authenticate(token)).toMatchObject({ orgId: "o", projectId: "p", label: token.slice(0, 10) });
    expect(made.authenticate(token)).toEqual(made.authenticate(token));
  });

  it("is refused once it has expired", () => {
    const { access: made, state } = access();
    made.replace([digestOf(token, new Date(2_000_000))]);
    expect(made.authenticate(token)).toBeDefined();
    state.timeMs = 1_999_999;
    expect(made.authenticate(token)).toBeDefined();
    state.timeMs = 2_000_000;
    expect(made.authenticate(token)).toBeUndefined();
  });

  it("is refused once it is revoked", () => {
    const { access: made } = access();
    made.replace([digestOf(token)]);
    expect(made.authenticate(token)).toBeDefined();
    made.replace([digestOf(newToken(CredentialKind.RUNTIME))]);
    expect(made.authenticate(token)).toBeUndefined();
  });

  it("is refused once the runtime works for another environment", () => {
    const { access: made, state } = access();
    made.replace([digestOf(token)]);
    expect(made.authenticate(token)).toBeDefined();
    state.scope = { ...first, environment: "staging" };
    expect(() => made.authenticate(token)).toThrow("another project or environment");
  });

  it("is accepted even if there are many tokens, and more than are remembered", () => {
    const { access: made } = access();
    const tokens = Array.from({ length: 1_100 }, () => newToken(CredentialKind.RUNTIME));
    made.replace(tokens.map((each) => digestOf(each)));
    for (const each of [...tokens, ...tokens]) expect(made.authenticate(each)?.label).toBe(each.slice(0, 10));
    expect(made.authenticate(token)).toBeUndefined();
  });
});
