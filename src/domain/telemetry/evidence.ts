// Reads the log of evidence: who changed what, with the values and salts to check each commitment with.

import type { JsonValue } from "@bufbuild/protobuf";
import { type CommittedField, committedFields } from "../../kit/evidence/leaf.ts";
import { notFound, validationFailed } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import {
  countActions,
  type EvidenceFilter,
  type FoundEntry,
  findEvidence,
  listEvidence,
} from "../../store/telemetry/evidence.ts";
import { type Control, controlOf, controls, speaksTo } from "./control-map.ts";

/** Which entries to find. */
export interface EvidenceQuery extends Omit<EvidenceFilter, "actions" | "kinds"> {
  /** Id of a control to which they speak. */
  readonly control?: string | undefined;
}

/** A control, and how many entries speak to it. */
export interface CountedControl extends Control {
  readonly entries: number;
}

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
  async list(caller: Caller, query: EvidenceQuery, page: Page): Promise<[EvidenceEntry[], number]> {
    const filter = filterOf(query);
    const [found, total] = await this.#database.read(caller.orgId, (tx) => listEvidence(tx, filter, page));
    return [found.map(entryOf), total];
  }

  /** The entry of this number. */
  async get(caller: Caller, seq: number): Promise<EvidenceEntry> {
    const found = await this.#database.read(caller.orgId, (tx) => findEvidence(tx, seq));
    if (found === undefined) throw notFound("entry");
    return entryOf(found);
  }

  /** The controls, with how many entries of a time speak to each. */
  async controls(caller: Caller, times: Pick<EvidenceQuery, "since" | "until">): Promise<CountedControl[]> {
    const actions = await this.#database.read(caller.orgId, (tx) => countActions(tx, times));
    const counts = [...actions];
    return controls.map((control) => ({
      ...control,
      entries: counts.reduce((sum, [action, count]) => sum + (speaksTo(control, action) ? count : 0), 0),
    }));
  }
}

/** The filter of a query. Throws when there is no such control. */
export function filterOf({ control: id, ...filter }: EvidenceQuery): EvidenceFilter {
  const control = id === undefined ? undefined : controlOf(id);
  if (id !== undefined && control === undefined) {
    const message = "there is no such control; GET /v1/orgs/{org_id}/evidence/controls lists them";
    throw validationFailed([{ field: "control", message }]);
  }
  // PostgreSQL has no text with NUL in it, so no entry has either; and no entry has an action of no action.
  const { action, actor, resource } = filter;
  if ([action, actor, resource].some((text) => text?.includes("\0"))) return { ...noFilter, actions: [] };
  return { ...filter, actions: control?.actions };
}

const noFilter = { action: undefined, actor: undefined, resource: undefined, since: undefined, until: undefined };

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
