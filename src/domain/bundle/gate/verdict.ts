// What a gate of an environment says about a version.

import type { JsonObject } from "@bufbuild/protobuf";
import type { PartReference } from "../../../store/bundle/bundle.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import type { GateDefinition } from "./definition.ts";

/** The content that is to be published, promoted or activated. */
export interface GateSubject {
  readonly contentDigest: string;
  readonly parts: readonly PartReference[];
  /** The version of the environment that has it; undefined while it is being made. */
  readonly version?: number;
  /** Stores its parts, or marks them as used, so that a run finds them. */
  readonly keepParts: (tx: Transaction) => Promise<void>;
}

/** How a gate stands, before it is asked what follows from it. */
export interface GateFinding {
  readonly state: "passed" | "failed" | "pending" | "missing";
  readonly reason: string;
  readonly runId?: string;
  readonly details?: JsonObject;
  /** When a run that had ended before found it out. Default: now. */
  readonly foundAt?: Date;
  /** Seconds after which it is worth to ask again, where that is not soon. */
  readonly retryAfter?: number;
  /** Whether somebody could begin to find it out now. */
  readonly canBegin?: boolean;
}

/** How a gate stands. */
export interface GateVerdict extends Omit<GateFinding, "state"> {
  readonly gate: GateDefinition;
  readonly state: GateFinding["state"] | "overridden";
}

/** Whether the gate lets the version through. */
export function isOpen({ gate, state }: GateVerdict): boolean {
  return state === "passed" || state === "overridden" || gate.enforcement === "warn";
}
