// The messages between a process of the work pool and its parent. Everything is plain data: structured clones go
// through a pipe.

import type { JsonObject } from "@bufbuild/protobuf";
import type { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";

/** A job, from the parent. */
export interface WorkOrder {
  readonly id: number;
  readonly job: string;
  readonly input: unknown;
  /** CPU time after which the process ends itself. */
  readonly cpuMs: number;
  /** Maximum size of the answer, which the parent reads at once. */
  readonly maxResultBytes: number;
}

/** A failure that callers are told of, as data. */
export interface SentFault {
  readonly reason: Reason;
  readonly message: string;
  readonly extra: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
}

/** How a job ended. */
export type WorkOutcome =
  /** Serialized. */
  | { readonly result: Uint8Array }
  | { readonly tooLargeBytes: number }
  | { readonly fault: SentFault }
  | { readonly error: { readonly message: string; readonly stack: string | undefined } };

/**
 * A message of the process: that it is ready, which phase a job enters, or how a job ended and how much memory the
 * process then has.
 */
export type WorkNews =
  | { readonly kind: "ready" }
  | { readonly kind: "phase"; readonly id: number; readonly phase: string }
  | { readonly kind: "end"; readonly id: number; readonly outcome: WorkOutcome; readonly memoryBytes: number };

/**
 * Signal with which a process ends itself when a job has had its CPU time ("virtual timer expired"). It leaves no core
 * file.
 */
export const cpuSignal = "SIGVTALRM";
/**
 * Signal with which it ends itself when it has too much memory; the kernel uses the same one when the machine has none
 * left.
 */
export const memorySignal = "SIGKILL";
