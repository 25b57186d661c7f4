// The messages between the thread that answers evaluations and the thread that builds engines. All of them are plain
// data or shared memory. Compiled patterns and conditions cannot be sent between threads, so the first thread compiles
// those itself.

import type { MessagePort } from "node:worker_threads";
import type { SignedStatement } from "../../src/kit/crypto/statement.ts";
import type { Overlay } from "../engine/languages/overlay.ts";
import type { StoredFacts } from "../engine/pattern/pattern-facts.ts";
import type { NamedList } from "../engine/policy-plan/applicability.ts";
import type { PolicySource } from "../engine/policy-plan/compiled-policy.ts";
import type { Tables } from "../engine/scan/table-cache.ts";
import type { SchemaSource } from "../engine/schema/output-schema.ts";
import type { VerifiedActivation } from "./activation.ts";
import type { RejectionReason } from "./rejection.ts";
import type { BundleCheck, HeldParts, VerifiedBundle } from "./verify.ts";

/** Asks for a bundle to be verified. */
export interface VerifyRequest {
  readonly kind: "verify";
  readonly id: number;
  readonly check: Omit<BundleCheck, "bundle" | "held">;
  readonly statements: {
    readonly manifest: SignedStatement | undefined;
    readonly activation: SignedStatement | undefined;
    readonly keys: SignedStatement | undefined;
  };
  /** In shared memory. */
  readonly parts: readonly { readonly path: string; readonly data: Uint8Array }[];
  /** In shared memory. */
  readonly held: HeldParts;
}

/** The result of verifying a bundle that holds. */
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
  /** Keys of the tables that the receiver has already, by kind. */
  readonly known: Readonly<Record<keyof Tables, readonly string[]>>;
  /** Where the chunks go. */
  readonly chunks: MessagePort;
}

/** A part of the result. The receiver takes one at a time, so each is small. */
export type BuildChunk =
  | { readonly kind: "policy"; readonly policy: Omit<PolicySource, "packs"> }
  | { readonly kind: "list"; readonly list: NamedList }
  | { readonly kind: "schema"; readonly schema: SchemaSource }
  | { readonly kind: "overlay"; readonly overlay: Overlay }
  | { readonly kind: "facts"; readonly facts: readonly (readonly [string, StoredFacts])[] }
  | { readonly kind: "tables"; readonly tables: Tables };

/** Says that a bundle holds, or that all its chunks are there, or why it is refused. */
export interface BuildAnswer {
  readonly id: number;
  readonly verification?: Verification;
  readonly refusal?: { readonly reason: RejectionReason; readonly message: string };
}
