import { describe, expect, it } from "vitest";
import { readBackendOrigins } from "../../../../runtime/evaluate/backend/origin.ts";

const entry = { origin: "https://model.example.com", header: "X-Api-Key", value: "example word" };
const secrets = (json: unknown) => JSON.stringify(json);
const read = (backendSecrets: string | undefined, backendOrigins?: readonly string[]) =>
  readBackendOrigins({ backendSecrets, backendOrigins });

describe("the origins of detector backends", () => {
  const origins = read(secrets({ own: entry }), ["http://10.0.0.7:8095/"]);

  it.each([
    ["own", "https://model.example.com/v1/detect"],
    ["own", "https://model.example.com:443/other?x=1"],
    ["other", "http://10.0.0.7:8095/v1"],
    ["other", "https://model.example.com/v1"],
  ])("lets %s be at %s", (key, url) => expect(origins.refusal({ key, url })).toBeUndefined());

  it.each([
    ["own", "https://model.example.com.evil.example/v1"],
    ["own", "http://model.example.com/v1"],
    ["own", "https://model.example.com:8443/v1"],
    ["own", "http://10.0.0.7:8095/v1"],
    ["other", "http://10.0.0.8:8095/v1"],
    ["other", "http://169.254.169.254/latest/meta-data"],
  ])("refuses %s at %s", (key, url) => {
    expect(origins.refusal({ key, url })).toContain("nothing is sent there");
    expect(origins.refused([{ key, url }])).toEqual([key]);
  });

  it("refuses every backend when no origin is named", () => {
    expect(read(undefined).refusal({ key: "any", url: "https://model.example.com/v1" })).toBeDefined();
  });

  it("gives a secret to its own backend only", () => {
    expect(origins.secretOf({ key: "own", url: entry.origin })).toEqual({ name: "X-Api-Key", value: "example word" });
    expect(origins.secretOf({ key: "other", url: entry.origin })).toBeUndefined();
  });

  it("shows the new form to an operator with the old one, and not the secret", () => {
    const old = () => read(secrets({ "inj-model": "Bearer word-of-old" }));
    expect(old).toThrow('{"inj-model": {"origin": "https://model.example.com", "header": "Authorization", "value"');
    expect(old).not.toThrow("word-of-old");
  });

  it.each([
    ["no JSON", "{", /expected JSON/],
    ["a list", "[]", /expected an object/],
    ["a key too many", secrets({ own: { ...entry, path: "/" } }), /exactly origin, header and value/],
    ["a path", secrets({ own: { ...entry, origin: "https://model.example.com/v1" } }), /scheme, host and port only/],
    ["credentials", secrets({ own: { ...entry, origin: "https://a:b@model.example.com" } }), /scheme, host and port/],
    ["another scheme", secrets({ own: { ...entry, origin: "ftp://model.example.com" } }), /scheme, host and port/],
    ["a metadata service", secrets({ own: { ...entry, origin: "http://169.254.169.254" } }), /link-local/],
    ["one in IPv6", secrets({ own: { ...entry, origin: "http://[::ffff:a9fe:a9fe]" } }), /link-local/],
    ["a header of the call", secrets({ own: { ...entry, header: "Content-Length" } }), /header/],
    ["a line break", secrets({ own: { ...entry, value: "a\r\nb: c" } }), /printable/],
  ])("refuses %s", (_, content, message) => expect(() => read(content)).toThrow(message));

  it("refuses BACKEND_ORIGINS that are not origins", () => {
    expect(() => read(undefined, ["model.example.com"])).toThrow(
      /BACKEND_ORIGINS: expected scheme, host and port only/,
    );
  });

  it.each([
    "http://169.254.169.254",
    "http://[fe80::1]",
    "http://[fd00:ec2::254]",
    "http://100.100.100.200",
    "http://168.63.129.16",
    "http://[64:ff9b::a9fe:a9fe]",
    "http://[2002:a9fe:a9fe::]",
  ])("opens no connection to %s", async (origin) => {
    await expect(origins.guard.check(origin)).rejects.toThrow(/link-local address or a cloud's metadata service/);
  });

  it.each(["http://127.0.0.1:8095", "http://10.1.2.3", "http://[fd12:3456::1]", "http://192.168.1.1"])(
    "opens connections within networks of the operator's own: %s",
    async (origin) => {
      await expect(origins.guard.check(origin)).resolves.toMatchObject({ addresses: [expect.any(String)] });
    },
  );
});
