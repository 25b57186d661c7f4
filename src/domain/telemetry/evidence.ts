// Reads the log of evidence: who changed what, with the values and salts to check each commitment with.

import type { JsonValue } from "@bufbuild/protobuf";
import { type CommittedField, committedFields } from "../../kit/evidence/leaf.ts";
import { notFound } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import { type EvidenceFilter, type FoundEntry, findEvidence, listEvidence } from "../../store/telemetry/evidence.ts";

/** An entry. */
export interface EvidenceEntry {
  readonly seq: number;
  readonly orgId: string;
  readonly createdAt: Date;
  readonly action: string;
  readonly resource: string;
  readonly credential: string;
  readonly requestId: string;
  /** The values that the leaf commits to. Undefined where one was erased, or left out of a list. */
  readonly values: Readonly<Record<CommittedField, JsonValue | undefined>>;
  /** In hexadecimal digits; undefined where the value was erased. */
  readonly salts: Readonly<Record<CommittedField, string | undefined>>;
  /** Fields whose value is only a digest of the changed resource. */
  readonly digestOnly: readonly CommittedField[];
  /** Fields whose value the list leaves out, since it is long. */
  readonly omitted: readonly CommittedField[];
  readonly leaf: string;
  readonly leafHash: string;
}

/** Reads the log. */
export class Evidence {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A page of the entries that match, newest first, without long values. */
  async list(caller: Caller, filter: EvidenceFilter, page: Page): Promise<[EvidenceEntry[], number]> {
    // PostgreSQL has no text with NUL in it, so no entry has either.
    const { action, actor, resource } = filter;
    if ([action, actor, resource].some((text) => text?.includes("\0"))) return [[], 0];
    const [found, total] = await this.#database.read(caller.orgId, (tx) => listEvidence(tx, filter, page));
    return [found.map(entryOf), total];
  }

  /** The entry of this number. */
  async get(caller: Caller, seq: number): Promise<EvidenceEntry> {
    const found = await this.#database.read(caller.orgId, (tx) => findEvidence(tx, seq));
    if (found === undefined) throw notFound("entry");
    return entryOf(found);
  }
}

interface LeafMembers {
  readonly seq: number;
  readonly org_id: string;
  readonly created_at: string;
  readonly action: string;
  readonly resource: string;
  readonly credential: string;
  readonly request_id: string;
}

function entryOf({ leaf, leafHash, openings }: FoundEntry): EvidenceEntry {
  const members: LeafMembers = JSON.parse(leaf);
  const each = <T>(of: (field: CommittedField) => T) =>
    Object.fromEntries(committedFields.map((field) => [field, of(field)])) as Record<CommittedField, T>; // all four
  const values = each((field) => parsed(openings[field]?.value));
  return {
    seq: members.seq,
    orgId: members.org_id,
    createdAt: new Date(members.created_at),
    action: members.action,
    resource: members.resource,
    credential: members.credential,
    requestId: members.request_id,
    values,
    salts: each((field) => openings[field] && Buffer.from(openings[field].salt).toString("hex")),
    digestOnly: (["before", "after"] as const).filter((field) => typeof values[field] === "string"),
    omitted: committedFields.filter((field) => openings[field] !== undefined && values[field] === undefined),
    leaf,
    leafHash: leafHash.toString("hex"),
  };
}

function parsed(text: string | undefined): JsonValue | undefined {
  return text === undefined ? undefined : JSON.parse(text);
}
