// A self-signed certificate made on the spot, so that no private key lies in the repository. X.509 in DER, RFC 5280.

import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { Certificate } from "../../../../src/kit/net/listen.ts";

const ecdsaWithSha256 = sequence(Buffer.from("06082a8648ce3d040302", "hex"));

/** A certificate for localhost that is valid for a day. */
export function selfSigned(): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const commonName = sequence(Buffer.from("0603550403", "hex"), der(0x0c, Buffer.from("localhost")));
  const name = sequence(der(0x31, commonName));
  const body = sequence(
    der(0xa0, Buffer.from("020102", "hex")), // version 3
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])), // serial number, positive
    ecdsaWithSha256,
    name,
    sequence(utcTime(Date.now() - 3_600_000), utcTime(Date.now() + 86_400_000)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = sign("sha256", body, privateKey);
  const certificate = sequence(body, ecdsaWithSha256, der(0x03, Buffer.concat([Buffer.of(0), signature])));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function utcTime(timeMs: number): Buffer {
  const text = new Date(timeMs).toISOString().replace(/^20|[-:T]|\..*$/g, "");
  return der(0x17, Buffer.from(`${text}Z`));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...head), content]);
}
