// The keys of logs of evidence, as files have them: lines of texts as other tools take them, or JSON as the API
// answers.

import type { JsonValue } from "@bufbuild/protobuf";
import { type PublicJwk, publicJwkOf, trustKeys } from "../../kit/crypto/signing-key.ts";
import type { KnownKeys } from "../../kit/evidence/checkpoint.ts";
import { NoteError, type NoteKey, readVerifierKey } from "../../kit/evidence/note.ts";
import { usageFailure } from "../failure.ts";
import { decode, readBytes } from "../file.ts";

const maxBytes = 1_048_576;

/** Reads a file of keys. Keys of bundles in it are none of a log. */
export function readLogKeys(path: string): KnownKeys {
  const text = decode(readBytes(path, maxBytes), path);
  const json = parsed(text);
  try {
    if (json === undefined) return some(linesIn(text).map(readVerifierKey));
    if (isObject(json) && Array.isArray(json.verifier_keys))
      return some(json.verifier_keys.map(String).map(readVerifierKey));
    if (isObject(json) && Array.isArray(json.log_keys)) {
      const keys = [...trustKeys(json.log_keys.map(jwkOf)).values()];
      return (name) => keys.map((key) => ({ name, key }));
    }
  } catch (error) {
    throw usageFailure(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
  throw usageFailure(
    `${path}: there is no key of a log in it`,
    "Give the text of `verifier_keys`, or the answer of GET /v1/bundles/keys with its `log_keys`.",
  );
}

function some(keys: readonly NoteKey[]): readonly NoteKey[] {
  if (keys.length === 0) throw new NoteError("there is no key in it");
  return keys;
}

function linesIn(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

function jwkOf(value: JsonValue): PublicJwk {
  if (!isObject(value) || typeof value.x !== "string") throw new NoteError("a key of log_keys is no JWK");
  return publicJwkOf(value.x);
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: JsonValue): value is { [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
