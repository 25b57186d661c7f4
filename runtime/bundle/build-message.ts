// What the thread that answers evaluations and the one that builds engines tell each other. All of it is plain data or shared memory:
// compiled patterns and conditions cannot go from thread to thread, so the first compiles those itself.

import type { MessagePort } from "node:worker_threads";
import type { NamedList } from "../engine/applicability.ts";
import type { PolicySource } from "../engine/compiled-policy.ts";
import type { SchemaSource } from "../engine/output-schema.ts";
import type { StoredFacts } from "../engine/pattern-facts.ts";
import type { Tables } from "../engine/table-shelf.ts";
import type { RejectionReason } from "./rejection.ts";

/** Asks for a bundle to be built. */
export interface BuildRequest {
  readonly id: number;
  readonly environment: string;
  readonly projectId: string;
  /** In shared memory. */
  readonly parts: ReadonlyMap<string, Uint8Array>;
  /** Keys of the tables that need not be sent, by kind. */
  readonly known: Readonly<Record<keyof Tables, readonly string[]>>;
  /** Where the pieces go. */
  readonly pieces: MessagePort;
}

/** A part of what was built. They are taken one at a time, so none is large. */
export type BuildPiece =
  | { readonly kind: "policy"; readonly policy: Omit<PolicySource, "packs"> }
  | { readonly kind: "list"; readonly list: NamedList }
  | { readonly kind: "schema"; readonly schema: SchemaSource }
  | { readonly kind: "facts"; readonly facts: readonly (readonly [string, StoredFacts])[] }
  | { readonly kind: "tables"; readonly tables: Tables };

/** Says that all pieces of a bundle are there, or why it is refused. */
export interface BuildAnswer {
  readonly id: number;
  readonly refusal?: { readonly reason: RejectionReason; readonly message: string };
}
