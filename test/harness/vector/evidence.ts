// What a call left in the log of evidence, against what the call said: the change has to be readable in it, and no
// secret.

import { createHash } from "node:crypto";
import {
  type DescMessage,
  type DescMethod,
  getOption,
  hasOption,
  type JsonObject,
  type JsonValue,
} from "@bufbuild/protobuf";
import { sensitive } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { canonicalText } from "../../../src/kit/crypto/canonical.ts";
import { type CommittedField, committedFields, leafHash, wrongOpenings } from "../../../src/kit/evidence/leaf.ts";
import { methodFacts } from "../../../src/kit/rpc/options.ts";

/** An entry as its tables hold it. */
export interface StoredEntry {
  readonly action: string;
  readonly leaf: string;
  readonly leaf_hash: Buffer;
  readonly openings: Readonly<Record<CommittedField, string>>;
  readonly salts: Readonly<Record<CommittedField, Buffer>>;
}

/** Fields of a change that say how it is to be made, not what it leaves behind. */
const instructions = new Set([
  ...["expected_version", "expected_revision", "generate_secret", "never_expires", "accept_licence"],
  ...["if_match", "attributes", "excluded_attributes"],
]);
/** Members that may be sent back as they were read, and change nothing. */
const readOnly = new Set(["id", "version", "created_at", "updated_at"]);

/** What is wrong with an entry, besides what it says: its hash, its openings, values in the open, its length. */
export function unsound({ leaf, leaf_hash, openings, salts }: StoredEntry): string[] {
  const given = Object.fromEntries(
    committedFields.map((field) => [field, { salt: salts[field], value: openings[field] }]),
  );
  const wrong = wrongOpenings(leaf, given).map((field) => `${field} does not open`);
  if (!leafHash(leaf).equals(leaf_hash)) wrong.push("the hash is not the leaf's");
  if (Buffer.byteLength(leaf) >= 1_024) wrong.push("the leaf has 1 KiB or more");
  const { resource } = JSON.parse(leaf);
  if (!/^[a-z_]+(\/[A-Za-z0-9._-]+(\/[a-z]+)?)?$/.test(resource)) wrong.push(`${resource} is no kind with an id`);
  return wrong;
}

/** Members of a change that its entry does not show as they are now. */
export function unreadable(method: DescMethod, request: JsonObject, { openings }: StoredEntry): string[] {
  const { http, successStatus } = methodFacts(method);
  const verb = http?.pattern.case;
  // What makes a bundle says from what it is made; the entry says what came of it.
  const creates = successStatus === 201 && method.parent.name !== "BundleService";
  if (verb !== "patch" && verb !== "put" && !creates) return [];
  const path = String(http?.pattern.value);
  const after: JsonValue = JSON.parse(openings.after);
  return method.input.fields.flatMap((field) => {
    const { name } = field;
    const value = request[name];
    // Null leaves a field as it is.
    if (value == null || path.includes(`{${name}}`) || instructions.has(name) || readOnly.has(name)) return [];
    if (hasOption(field, sensitive) && getOption(field, sensitive)) return [];
    const found = membersNamed(after, name);
    const isShown = found.some((shown) => canonicalText(shown) === canonicalText(value));
    // What is normalised on its way in (an address, a document, times) is another text.
    const mayDiffer = typeof value === "string" || typeof value === "object";
    const isOfAnotherForm = mayDiffer && found.some((shown) => [typeof value, "object"].includes(typeof shown));
    return isShown || isOfAnotherForm ? [] : [`${name} is not in ${openings.after}`];
  });
}

function membersNamed(value: JsonValue, name: string): JsonValue[] {
  if (Array.isArray(value)) return value.flatMap((item) => membersNamed(item, name));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...(key === name ? [member] : []),
    ...membersNamed(member, name),
  ]);
}

/** Texts of a message, in REST's JSON, that its descriptor calls sensitive. */
export function sensitiveTexts(message: DescMessage, value: JsonValue | undefined): string[] {
  if (typeof value !== "object" || value === null) return [];
  const values = Array.isArray(value) ? value : [value];
  return values.flatMap((item) =>
    message.fields.flatMap((field) => {
      const member = typeof item === "object" && item !== null && !Array.isArray(item) ? item[field.name] : undefined;
      if (member === undefined) return [];
      if (hasOption(field, sensitive) && getOption(field, sensitive)) return textsOf(member);
      return field.message === undefined ? [] : sensitiveTexts(field.message, member);
    }),
  );
}

function textsOf(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

/** Secrets that stand in an entry, as they are or as their digest. Texts of fewer than 8 characters are no secrets. */
export function leaked({ leaf, openings }: StoredEntry, secrets: readonly string[]): string[] {
  const text = [leaf, ...Object.values(openings)].join("\n");
  return secrets
    .filter((secret) => secret.length >= 8)
    .flatMap((secret) => {
      const digest = createHash("sha256").update(secret).digest();
      const forms = [secret, JSON.stringify(secret).slice(1, -1), digest.toString("hex"), digest.toString("base64")];
      return [...forms, digest.toString("base64url")].filter((form) => text.includes(form));
    });
}
