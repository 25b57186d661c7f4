import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CredentialKind } from "../../../../gen/policyguard/options/v1/options_pb.ts";
import { crc32, hasChecksum, tokenChecksum } from "../../../../runtime/engine/detectors/secrets/checksum.ts";
import { newToken } from "../../../../src/kit/crypto/token.ts";
import { found, scan } from "./scan.ts";

// Made up: random characters in the providers' forms, joined here so that no scanner takes them for real.
const noise = "q7Zk2XvB9mLw4RtY8nHc3GfD6sJp5KxA1uEoTiVbNrQyMhWz0Ll";
const upper = "Q3EGRZ7XW2LMNP4TKVB6YH5ADJSFC";
const body = (length: number) => noise.repeat(3).slice(0, length);
const dashes = "-".repeat(5);
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

const checksummed = (prefix: string) => prefix + body(30) + tokenChecksum(body(30));
const jwt = (payload: object) => `${base64url({ alg: "HS256", typ: "JWT" })}.${base64url(payload)}.${body(43)}`;
const pem = (kind: string) =>
  `${dashes}BEGIN ${kind}PRIVATE KEY${dashes}\n${`${body(51)}${noise.slice(3, 16)}\n`.repeat(6)}${dashes}END ${kind}PRIVATE KEY${dashes}`;

const tokens: readonly (readonly [string, string])[] = [
  ["aws_access_key_id", `AKIA${upper.slice(0, 16)}`],
  ["aws_access_key_id", `ASIA${upper.slice(3, 19)}`],
  ["github", checksummed("ghp_")],
  ["github", checksummed("gho_")],
  ["github", checksummed("ghs_")],
  ["github", `github_${"pat"}_${body(22)}_${noise.repeat(2).slice(5, 64)}`],
  ["gitlab", `glpat${"-"}${body(20)}`],
  ["slack", `xox${"b"}-482915730164-5719302846105-${body(24)}`],
  ["slack", `xox${"p"}-482915730164-571930284610-660918273546-${body(32)}`],
  ["slack_webhook", `hooks.slack${".com"}/services/T0${upper.slice(0, 7)}/B0${upper.slice(4, 11)}/${body(24)}`],
  ["stripe", `sk_${"live"}_${body(24)}`],
  ["stripe", `rk_${"live"}_${body(24)}`],
  ["google_api_key", `AI${"za"}${body(35)}`],
  ["openai", `sk-${body(20)}T3Blbk${"FJ"}${body(20)}`],
  ["openai", `sk-${"proj"}-${body(48)}T3Blbk${"FJ"}${body(48)}`],
  ["anthropic", `sk-${"ant"}-api03-${body(93)}AA`],
  ["npm", checksummed("npm_")],
  ["jwt", jwt({ sub: "u-4711", exp: 1_900_000_000 })],
  ["private_key", pem("RSA ")],
  ["private_key", pem("")],
  ["private_key", pem("OPENSSH ")],
];

describe("secrets", () => {
  it.each(tokens)("%s: %s is found in text, in quotes, after an equals sign", (name, token) => {
    for (const [before, after] of [
      ["my key is ", " ok"],
      ['"', '"'],
      ["KEY=", "\n"],
      ["", ""],
      ["(", ")."],
    ] as const) {
      const text = before + token + after;
      const [detection] = scan("secrets", text).filter((candidate) => candidate.category === `secrets.${name}`);
      expect(detection).toMatchObject({ start: before.length, end: before.length + token.length, layer: "plain" });
      expect(detection?.score).toBeGreaterThanOrEqual(0.9);
      expect(detection?.attributes?.basis ?? "").not.toBe("");
    }
  });

  it.each(tokens.filter(([name]) => !["jwt", "private_key"].includes(name)))(
    "%s: %s without its first or its last characters is none",
    (_, token) => {
      expect(scan("secrets", token.slice(1)).some((detection) => detection.score >= 0.9)).toBe(false);
      expect(scan("secrets", token.slice(0, Math.min(14, token.length - 8)))).toEqual([]);
    },
  );

  it("are found despite zero-width characters", () => {
    const token = `AKIA${upper.slice(0, 16)}`;
    const hidden = `${token.slice(0, 6)}\u200b${token.slice(6)}`;
    expect(scan("secrets", `key ${hidden}!`)).toMatchObject([
      { start: 4, end: 4 + hidden.length, layer: "normalized" },
    ]);
  });

  it("need a name next to them when they have no form of their own", () => {
    const secret = `${noise.slice(0, 36)}/+9q`;
    expect(found("secrets", `aws_secret_access_key = "${secret}"`)).toEqual([secret]);
    expect(found("secrets", secret)).toEqual([]);
  });

  it.each([
    ["AWS", "AKIAIOSFODNN7EXAMPLE"],
    ["AWS", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"],
    ["a row of x", `ghp_${"x".repeat(36)}`],
    ["a row of zeros", `AKIA${"2".repeat(16)}`],
    ["a place to fill in", "sk_live_your_api_key_goes_here"],
    ["jwt.io", jwt({ sub: "1234567890", name: "John Doe", iat: 1516239022 })],
    ["a key without a body", `${dashes}BEGIN PRIVATE KEY${dashes}\n...\n${dashes}END PRIVATE KEY${dashes}`],
    ["a public key", pem("").replaceAll("PRIVATE", "PUBLIC")],
    ["text about keys", "the PRIVATE KEY----- marker"],
    ["three parts that are no token", `eyJ${body(20)}.eyJ${body(20)}.${body(43)}`],
    ["a hash", "d41d8cd98f00b204e9800998ecf8427e"],
    ["a UUID", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"],
  ])("%s: %s is none", (_, text) => {
    expect(scan("secrets", text)).toEqual([]);
  });

  it("lower their score for a GitHub token whose check sum is wrong", () => {
    const token = checksummed("ghp_");
    const wrong = token.slice(0, -1) + (token.endsWith("a") ? "b" : "a");
    expect(scan("secrets", wrong)[0]?.score).toBe(0.7);
  });
});

describe("this product's own tokens", () => {
  it("are found, of every kind", () => {
    for (const kind of [CredentialKind.RUNTIME, CredentialKind.CI, CredentialKind.ADMIN]) {
      const token = newToken(kind);
      expect(scan("secrets", `use ${token}`)).toMatchObject([
        { category: "secrets.policy_guard", start: 4, end: 4 + token.length },
      ]);
    }
  });

  it("are none when their check sum is wrong", () => {
    const token = newToken(CredentialKind.CI);
    expect(scan("secrets", token.slice(0, -1) + (token.endsWith("a") ? "b" : "a"))).toEqual([]);
  });
});

describe("the check sum of tokens", () => {
  it("is CRC-32", () => {
    expect(crc32("123456789")).toBe(0xcbf43926);
  });

  it("holds for what it was made of, and for nothing else of the same length", () => {
    const text = fc.string({ unit: fc.constantFrom(...noise), minLength: 10, maxLength: 40 });
    fc.assert(
      fc.property(text, fc.nat(9), (head, place) => {
        const token = head + tokenChecksum(head);
        expect(hasChecksum(token)).toBe(true);
        const other = token.slice(0, place) + (token[place] === "z" ? "y" : "z") + token.slice(place + 1);
        expect(hasChecksum(other)).toBe(other === token);
      }),
      { numRuns: 1000, seed: 8 },
    );
  });
});
