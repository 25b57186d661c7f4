// Self-signed certificates, made on the spot (RFC 5280 in DER, ECDSA P-256), so that the repository holds no private
// key.

import { createPublicKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** A certificate and its key, both in PEM. */
export interface TestCertificate {
  readonly certificate: string;
  readonly key: string;
}

/**
 * A certificate for these names and IPv4 addresses, good from yesterday to tomorrow, or between other days from now.
 */
export function selfSigned(
  names: readonly string[],
  days: readonly [from: number, to: number] = [-1, 1],
): TestCertificate {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const ecdsaWithSha256 = sequence(objectId("2a8648ce3d040302"));
  const commonName = sequence(der(0x31, sequence(objectId("550403"), der(0x0c, Buffer.from(names[0] ?? "test")))));
  const alternatives = sequence(...names.map(alternativeName));
  const body = sequence(
    der(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaWithSha256,
    commonName,
    sequence(time(days[0]), time(days[1])),
    commonName,
    createPublicKey(privateKey).export({ type: "spki", format: "der" }),
    der(
      0xa3,
      sequence(extension("551d11", alternatives), extension("551d13", sequence(der(0x01, Buffer.from([0xff]))))),
    ),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(body, ecdsaWithSha256, der(0x03, Buffer.from([0]), signature));
  const lines = certificate.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

function sequence(...content: Buffer[]): Buffer {
  return der(0x30, ...content);
}

function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes);
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), der(0x04, value));
}

function alternativeName(name: string): Buffer {
  const isAddress = /^\d+\.\d+\.\d+\.\d+$/.test(name);
  return isAddress ? der(0x87, Buffer.from(name.split(".").map(Number))) : der(0x82, Buffer.from(name));
}

function time(days: number): Buffer {
  const text = new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, "");
  return der(0x17, Buffer.from(text.slice(2)));
}
