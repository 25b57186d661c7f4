// Addresses of cryptocurrencies by their check sums: Base58Check (Bitcoin, Litecoin, Dogecoin, Tron, Ripple), Bech32
// and Bech32m (BIP 173, BIP 350), and mixed case (EIP-55, Ethereum).

import { createHash } from "node:crypto";
import type { Sweep } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";
import { hasContext } from "./context.ts";
import { keccak256 } from "./keccak.ts";

/** The category of addresses. */
export const cryptoCategory = "pii.crypto";

const shape =
  /(?<![A-Za-z0-9_])(?:0x[0-9a-fA-F]{40}|(?:bc1|tb1|ltc1|BC1|TB1|LTC1)[0-9a-zA-Z]{11,80}|[1-9A-HJ-NP-Za-km-z]{26,35})(?![A-Za-z0-9_])/g;
const words = /ethereum|\beth\b|wallet|address|erc-?20|metamask|crypto|0x address|send/i;
const bitcoinAlphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const rippleAlphabet = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz";
/** First bytes of addresses, with the letter that they encode to. */
const versions: ReadonlyMap<number, string> = new Map([
  [0x00, "bitcoin"],
  [0x05, "bitcoin"],
  [0x6f, "bitcoin"],
  [0xc4, "bitcoin"],
  [0x30, "litecoin"],
  [0x32, "litecoin"],
  [0x1e, "dogecoin"],
  [0x16, "dogecoin"],
  [0x4c, "dash"],
  [0x41, "tron"],
]);

/** Finds addresses with a valid check sum. */
export const findCryptoAddresses: Sweep = (text) => {
  const findings: Finding[] = [];
  for (const match of text.matchAll(shape)) {
    const found = judge(match[0], text, match.index);
    if (found !== undefined) findings.push(found);
  }
  return findings;
};

function judge(address: string, text: string, start: number): Finding | undefined {
  const end = start + address.length;
  const finding = (network: string, score: number, basis: string): Finding => ({
    ...{ category: cryptoCategory, start, end, score },
    attributes: { network, basis },
  });
  if (address.startsWith("0x")) {
    const kind = ethereumCase(address.slice(2));
    if (kind === "wrong" || /^0x(.)\1+$/i.test(address)) return undefined;
    if (kind === "right") return finding("ethereum", 0.98, "form and check sum");
    return finding("ethereum", hasContext(text, start, end, words) ? 0.85 : 0.55, "form");
  }
  if (/^(?:bc1|tb1|ltc1)/i.test(address))
    return passesBech32(address)
      ? finding(/^ltc/i.test(address) ? "litecoin" : "bitcoin", 0.99, "form and check sum")
      : undefined;
  if (!/\d/.test(address) || !/[A-Z]/.test(address)) return undefined;
  const network = base58Network(address);
  return network === undefined ? undefined : finding(network, 0.98, "form and check sum");
}

function base58Network(address: string): string | undefined {
  if (address.startsWith("r")) return passesBase58(address, rippleAlphabet) === 0 ? "ripple" : undefined;
  const version = passesBase58(address, bitcoinAlphabet);
  return version === undefined ? undefined : versions.get(version);
}

/** The first byte that an address encodes, or undefined when the check sum is invalid. */
function passesBase58(address: string, alphabet: string): number | undefined {
  let value = 0n;
  for (const char of address) {
    const digit = alphabet.indexOf(char);
    if (digit < 0) return undefined;
    value = value * 58n + BigInt(digit);
  }
  const hex = value.toString(16).padStart(50, "0");
  if (hex.length !== 50) return undefined;
  const bytes = Buffer.from(hex, "hex");
  const sum = sha256(sha256(bytes.subarray(0, 21)));
  return sum.subarray(0, 4).equals(bytes.subarray(21)) ? bytes[0] : undefined;
}

function sha256(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}

function ethereumCase(hex: string): "right" | "wrong" | "plain" {
  const lower = hex.toLowerCase();
  if (hex === lower || hex === hex.toUpperCase()) return "plain";
  const hash = keccak256(lower);
  const right = [...hex].every(
    (char, i) => !/[a-f]/i.test(char) || Number.parseInt(hash.charAt(i), 16) >= 8 === char < "a",
  );
  return right ? "right" : "wrong";
}

const bech32Alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

function passesBech32(address: string): boolean {
  const lower = address.toLowerCase();
  if (address !== lower && address !== address.toUpperCase()) return false;
  const at = lower.lastIndexOf("1");
  const prefix = lower.slice(0, at);
  const values = [...lower.slice(at + 1)].map((char) => bech32Alphabet.indexOf(char));
  if (values.includes(-1)) return false;
  const expanded = [...prefix].map((char) => char.charCodeAt(0));
  const sum = polymod([...expanded.map((unit) => unit >> 5), 0, ...expanded.map((unit) => unit & 31), ...values]);
  return sum === (values[0] === 0 ? 1 : 0x2bc830a3);
}

function polymod(values: readonly number[]): number {
  let check = 1;
  for (const value of values) {
    const top = check >>> 25;
    check = ((check & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of generators.entries()) if (((top >> bit) & 1) === 1) check ^= generator;
  }
  return check >>> 0;
}
