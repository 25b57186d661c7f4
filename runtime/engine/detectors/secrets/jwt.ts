// JSON Web Tokens in compact form (RFC 7519, RFC 7515 section 7.1). They are decoded, and must have a JOSE header.

import type { Trigger } from "../detector-plan.ts";
import type { Finding } from "../finding.ts";

const tokenShape = /^eyJ[A-Za-z0-9_-]{7,2000}\.(eyJ[A-Za-z0-9_-]{5,8000})\.([A-Za-z0-9_-]{20,1400})/;
const maxLength = 11_500;

/** Examines every "eyJ", the encoding of `{"`. */
export const jwtTrigger: Trigger = { literal: "eyJ", locate: (text, end) => locateJwt(text, end - 3) };

function locateJwt(text: string, start: number): Finding | undefined {
  if (/[A-Za-z0-9_.-]/.test(text[start - 1] ?? "")) return undefined;
  const match = tokenShape.exec(text.slice(start, start + maxLength));
  if (match === null) return undefined;
  const header = decode(match[0].slice(0, match[0].indexOf(".")));
  const payload = decode(match[1] ?? "");
  if (typeof header?.alg !== "string" || payload === undefined || isDocumented(payload)) return undefined;
  return {
    category: "secrets.jwt",
    start,
    end: start + match[0].length,
    score: 0.95,
    attributes: { algorithm: header.alg, basis: "decoded header and payload" },
  };
}

// The example token of jwt.io and many tutorials.
function isDocumented(payload: Readonly<Record<string, unknown>>): boolean {
  return payload.sub === "1234567890" && (payload.name === "John Doe" || payload.iat === 1516239022);
}

function decode(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
