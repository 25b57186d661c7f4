// What finds out how content stands before a gate. Benchmarks and replays are in rooms of their own, which know this
// one; so they are handed in.

import type { FieldViolation } from "../../../kit/fault/fault.ts";
import type { Caller } from "../../../kit/rpc/context.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import type { EnvironmentRow } from "../../../store/project/environment.ts";
import type { GateDefinition } from "./definition.ts";
import type { GateAsk } from "./result.ts";
import type { GateFinding } from "./verdict.ts";

/** A gate of one kind. */
export type GateOfKind<Kind extends GateDefinition["kind"]> = Extract<GateDefinition, { readonly kind: Kind }>;

/** Finds out how content stands before gates of one kind. */
export interface GateMeasure<Kind extends GateDefinition["kind"]> {
  /** What is wrong with a gate that is being set, by the data that there is. Fields are those within the gate. */
  problems(
    tx: Transaction,
    environment: EnvironmentRow,
    gate: Omit<GateOfKind<Kind>, "revision">,
  ): Promise<FieldViolation[]>;
  /** What an answer depends on besides content and gate; or how the gate stands without any. */
  basis(tx: Transaction, environment: EnvironmentRow, gate: GateOfKind<Kind>): Promise<string | GateFinding>;
  /** Begins to find out, in transactions of its own. It notes the answer or the run by beginOnce(). */
  begin(caller: Caller, ask: GateAsk<GateOfKind<Kind>>): Promise<void>;
}

/** The kinds that are found out when somebody asks. A candidate is compared by runtimes. */
export type MeasuredKind = Exclude<GateDefinition["kind"], "candidate">;

/** What finds out, by kind. */
export type GateMeasures = { readonly [Kind in MeasuredKind]: GateMeasure<Kind> };
