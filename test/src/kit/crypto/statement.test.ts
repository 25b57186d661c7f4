import { generateKeyPairSync, sign } from "node:crypto";
import type { JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { CompactSign, FlattenedSign, generateKeyPair } from "jose";
import { describe, expect, it } from "vitest";
import {
  exportSigningKey,
  importSigningKey,
  newSigningKey,
  type SigningKey,
  trustKeys,
} from "../../../../src/kit/crypto/signing-key.ts";
import {
  decodeStatement,
  encodeStatement,
  type SignedStatement,
  StatementError,
  type StatementProblem,
  signStatement,
  statementDigest,
  verifyStatement,
} from "../../../../src/kit/crypto/statement.ts";

const key = newSigningKey();
const trust = trustKeys([key.publicJwk]);
const payload: JsonValue = { version: 1, org_id: "o" };
const manifest = await signStatement("manifest", payload, [key]);

async function problemOf(statement: SignedStatement, trusted = trust): Promise<StatementProblem | "accepted"> {
  try {
    await verifyStatement("manifest", statement, trusted);
    return "accepted";
  } catch (error) {
    if (error instanceof StatementError) return error.problem;
    throw error;
  }
}

/** A signature over any header and payload bytes, made without the library: what an attacker with a key could send. */
function handMade(header: Record<string, unknown>, bytes: string | Buffer, signer: SigningKey = key): SignedStatement {
  const body = Buffer.from(bytes).toString("base64url");
  const head = Buffer.from(JSON.stringify(header)).toString("base64url");
  const signature = sign(null, Buffer.from(`${head}.${body}`), signer.privateKey).toString("base64url");
  return { payload: body, signatures: [{ protected: head, signature }] };
}

const typ = "policy-guard-manifest+jws";
const canonical = '{"org_id":"o","version":1}';

describe("a statement", () => {
  it("verifies with a trusted key, and says what was signed and by whom", async () => {
    expect(await verifyStatement("manifest", manifest, trust)).toEqual({
      payload,
      digest: statementDigest(manifest),
      kids: [key.kid],
    });
  });

  it("is a JWS that any implementation of RFC 7515 makes and reads", async () => {
    expect(await problemOf(handMade({ alg: "EdDSA", kid: key.kid, typ }, canonical))).toBe("accepted");
  });

  it("travels through a header", async () => {
    const text = encodeStatement(manifest);
    expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(decodeStatement(text)).toEqual(manifest);
  });

  it("verifies with either of two keys while they are being rotated", async () => {
    const next = newSigningKey();
    const both = await signStatement("manifest", payload, [key, next]);
    expect((await verifyStatement("manifest", both, trust)).kids).toEqual([key.kid]);
    expect((await verifyStatement("manifest", both, trustKeys([next.publicJwk]))).kids).toEqual([next.kid]);
    expect((await verifyStatement("manifest", both, trustKeys([next.publicJwk, key.publicJwk]))).kids).toHaveLength(2);
  });

  it("does not verify after any change of a payload byte", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(manifest.payload.length - 1), fc.constantFrom(..."AZaz09-_"), async (at, letter) => {
        fc.pre(manifest.payload[at] !== letter);
        const changed = manifest.payload.slice(0, at) + letter + manifest.payload.slice(at + 1);
        // The last character has unused bits: then the bytes are the same, but the signed text is not.
        expect(await problemOf({ ...manifest, payload: changed })).toBe("bad_signature");
      }),
      { numRuns: 300, seed: 7515 },
    );
  });
});

describe("a statement is refused", () => {
  const first = manifest.signatures[0] ?? { protected: "", signature: "" };

  it("when its signature is stripped", async () => {
    expect(await problemOf({ ...manifest, signatures: [] })).toBe("unsigned");
    expect(await problemOf({ ...manifest, signatures: [{ ...first, signature: "" }] })).toBe("bad_signature");
    expect(await problemOf({ ...manifest, signatures: [{ protected: "", signature: "" }] })).toBe("malformed");
  });

  it("when no trusted key signed it", async () => {
    const stranger = newSigningKey();
    expect(await problemOf(await signStatement("manifest", payload, [stranger]))).toBe("unknown_kid");
  });

  it("when a foreign key signs under a trusted kid", async () => {
    const header = { alg: "EdDSA", kid: key.kid, typ };
    expect(await problemOf(handMade(header, canonical, newSigningKey()))).toBe("bad_signature");
  });

  it("when a wrong signature of a trusted key stands beside a right one", async () => {
    const next = newSigningKey();
    const both = await signStatement("manifest", payload, [key, next]);
    const [good, bad] = both.signatures;
    const signatures = [good ?? first, { protected: bad?.protected ?? "", signature: first.signature }];
    expect(await problemOf({ ...both, signatures }, trustKeys([key.publicJwk, next.publicJwk]))).toBe("bad_signature");
  });

  it("when a key signs twice", async () => {
    expect(await problemOf({ ...manifest, signatures: [first, first] })).toBe("duplicate_kid");
  });

  it("when it has more signatures than anyone needs", async () => {
    expect(await problemOf({ ...manifest, signatures: new Array(9).fill(first) })).toBe("too_many_signatures");
  });

  it.each<[string, Record<string, unknown>, StatementProblem]>([
    ["no kid", { alg: "EdDSA", typ }, "missing_kid"],
    ["an empty kid", { alg: "EdDSA", kid: "", typ }, "missing_kid"],
    ["a kid that is no text", { alg: "EdDSA", kid: [key.kid], typ }, "missing_kid"],
    ["no algorithm", { kid: key.kid, typ }, "wrong_algorithm"],
    ["alg none", { alg: "none", kid: key.kid, typ }, "wrong_algorithm"],
    ["alg HS256", { alg: "HS256", kid: key.kid, typ }, "wrong_algorithm"],
    ["alg RS256", { alg: "RS256", kid: key.kid, typ }, "wrong_algorithm"],
    ["alg ES256", { alg: "ES256", kid: key.kid, typ }, "wrong_algorithm"],
    ["alg eddsa in lower case", { alg: "eddsa", kid: key.kid, typ }, "wrong_algorithm"],
    ["no type", { alg: "EdDSA", kid: key.kid }, "wrong_type"],
    ["the type of a token", { alg: "EdDSA", kid: key.kid, typ: "JWT" }, "wrong_type"],
    ["the type of the other kind", { alg: "EdDSA", kid: key.kid, typ: "policy-guard-activation+jws" }, "wrong_type"],
    ["an embedded key", { alg: "EdDSA", kid: key.kid, typ, jwk: { ...newSigningKey().publicJwk } }, "malformed"],
    ["a key address", { alg: "EdDSA", kid: key.kid, typ, jku: "https://example.com/keys" }, "malformed"],
    ["an unencoded payload", { alg: "EdDSA", kid: key.kid, typ, b64: false, crit: ["b64"] }, "malformed"],
  ])("when its header has %s, though the signature fits", async (_, header, problem) => {
    expect(await problemOf(handMade(header, canonical))).toBe(problem);
  });

  it("when it is signed by the other algorithms themselves", async () => {
    const secret = Buffer.from(key.publicJwk.x, "base64url");
    const { privateKey: rsa } = await generateKeyPair("RS256");
    const bytes = Buffer.from(canonical);
    const hmac = await new FlattenedSign(bytes).setProtectedHeader({ alg: "HS256", kid: key.kid, typ }).sign(secret);
    const rs = await new FlattenedSign(bytes).setProtectedHeader({ alg: "RS256", kid: key.kid, typ }).sign(rsa);
    for (const { payload: body, protected: head = "", signature } of [hmac, rs]) {
      expect(await problemOf({ payload: body, signatures: [{ protected: head, signature }] })).toBe("wrong_algorithm");
    }
  });

  it("when it is a statement of the other kind by the same key", async () => {
    const activation = await signStatement("activation", payload, [key]);
    expect(await problemOf(activation)).toBe("wrong_type");
    await expect(verifyStatement("activation", activation, trust)).resolves.toBeDefined();
  });

  it.each([
    ["has its members in another order", '{"version":1,"org_id":"o"}'],
    ["has a member twice", '{"org_id":"x","org_id":"o","version":1}'],
    ["has blanks", '{"org_id": "o","version":1}'],
    ["writes a number in another form", '{"org_id":"o","version":1.0}'],
    ["is no JSON", "version 1"],
    ["is empty", ""],
    ["is not UTF-8", Buffer.from([0x22, 0xff, 0x22])],
  ])("when its payload %s, though the signature fits", async (_, bytes) => {
    expect(await problemOf(handMade({ alg: "EdDSA", kid: key.kid, typ }, bytes))).toBe("not_canonical");
  });

  it.each(["", "e30", "bnVsbA", "!", Buffer.from('{"payload":"","signatures":[1]}').toString("base64url")])(
    "when its header form %j is no statement",
    (text) => {
      expect(() => decodeStatement(text)).toThrow(StatementError);
    },
  );

  it("when it is a compact JWS with an algorithm of its own choice", async () => {
    const compact = await new CompactSign(Buffer.from(canonical))
      .setProtectedHeader({ alg: "EdDSA" })
      .sign(key.privateKey);
    const [head = "", body = "", signature = ""] = compact.split(".");
    expect(await problemOf({ payload: body, signatures: [{ protected: head, signature }] })).toBe("wrong_type");
  });
});

describe("a signing key", () => {
  it("is named by its thumbprint (RFC 7638; vector of RFC 8037 appendix A.3)", () => {
    const imported = trustKeys([
      {
        kty: "OKP",
        crv: "Ed25519",
        x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        kid: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
      },
    ]);
    expect([...imported.keys()]).toEqual(["kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"]);
  });

  it("survives storage, and its public half has no secret in it", () => {
    const stored = exportSigningKey(key);
    expect(importSigningKey(JSON.parse(JSON.stringify(stored))).kid).toBe(key.kid);
    expect(JSON.stringify(key.publicJwk)).not.toContain(stored.d);
  });

  it("is not trusted under a name that is not its own", () => {
    expect(() => trustKeys([{ ...key.publicJwk, kid: newSigningKey().kid }])).toThrow("not its thumbprint");
    expect(() => importSigningKey({ ...exportSigningKey(key), kid: "mine" })).toThrow("not its thumbprint");
  });

  it("is Ed25519 and nothing else", () => {
    const { kty = "", crv = "", x = "" } = generateKeyPairSync("x25519").publicKey.export({ format: "jwk" });
    expect(() => trustKeys([{ kty, crv, x, kid: "k" }])).toThrow("not an Ed25519 key");
  });

  it("is required: a trust root without keys is refused", () => {
    expect(() => trustKeys([])).toThrow("at least one key");
  });
});
