// What the thread that answers evaluations and the one that builds engines tell each other. All of it is plain data or shared memory:
// compiled patterns and conditions cannot go from thread to thread, so the first compiles those itself.

import type { MessagePort } from "node:worker_threads";
import type { SignedStatement } from "../../src/kit/statement.ts";
import type { NamedList } from "../engine/applicability.ts";
import type { PolicySource } from "../engine/compiled-policy.ts";
import type { SchemaSource } from "../engine/output-schema.ts";
import type { StoredFacts } from "../engine/pattern-facts.ts";
import type { Tables } from "../engine/table-shelf.ts";
import type { VerifiedActivation } from "./activation.ts";
import type { RejectionReason } from "./rejection.ts";
import type { BundleCheck, VerifiedBundle } from "./verify.ts";

/** Asks for a bundle to be verified. */
export interface VerifyRequest {
  readonly kind: "verify";
  readonly id: number;
  readonly check: Omit<BundleCheck, "bundle">;
  readonly statements: {
    readonly manifest: SignedStatement | undefined;
    readonly activation: SignedStatement | undefined;
    readonly keys: SignedStatement | undefined;
  };
  /** In shared memory. */
  readonly parts: readonly { readonly path: string; readonly data: Uint8Array }[];
}

/** What was found out about a bundle that holds. */
export interface Verification extends Pick<VerifiedBundle, "manifest" | "digest"> {
  readonly activation: Omit<VerifiedActivation, "statement">;
  readonly hasNewerKeys: boolean;
}

/** Asks for a bundle to be built. */
export interface BuildRequest {
  readonly kind: "build";
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

/** Says that a bundle holds, or that all its pieces are there, or why it is refused. */
export interface BuildAnswer {
  readonly id: number;
  readonly verification?: Verification;
  readonly refusal?: { readonly reason: RejectionReason; readonly message: string };
}
