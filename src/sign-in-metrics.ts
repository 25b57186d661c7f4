// What Prometheus and the log learn of refused sign-ins.

import { Counter } from "prom-client";
import type { NoteRefusal } from "./domain/identity/sign-in-refusal.ts";
import type { Logger } from "./kit/observability/log.ts";
import type { Metrics } from "./kit/observability/metrics.ts";

/** Registers the counter of refused sign-ins and returns what counts and logs one. */
export function createRefusalNotes({ registry }: Metrics, log: Logger): NoteRefusal {
  const refused = new Counter({
    name: "sign_ins_refused_total",
    help: "Refused sign-ins and other refused calls that ask for a password or a code, by reason.",
    labelNames: ["reason"],
    registers: [registry],
  });
  return (reason, { action, requestId, address }) => {
    refused.inc({ reason });
    log.warn({ reason, action, request_id: requestId, address: address || undefined }, "sign-in refused");
  };
}
