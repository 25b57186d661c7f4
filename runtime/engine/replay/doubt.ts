// What a replay does not know, and why.

import type { Joinable } from "../decide/truth.ts";

/** Why an answer of a replay is not known. */
export type DoubtReason =
  | "detector_changed"
  | "engine_changed"
  | "facts_missing"
  | "session_missing"
  | "backend_missing"
  | "rollout_by_text"
  | "signals_omitted"
  | "findings_omitted"
  | "text_redacted"
  | "schema_missing"
  | "hold_limit"
  | "timeout";

/** A truth that a replay does not know. */
export class Doubt implements Joinable<Doubt> {
  readonly reasons: ReadonlySet<DoubtReason>;

  constructor(reasons: Iterable<DoubtReason>) {
    this.reasons = new Set(reasons);
  }

  with(other: Doubt): Doubt {
    if (other === this || [...other.reasons].every((reason) => this.reasons.has(reason))) return this;
    return new Doubt([...this.reasons, ...other.reasons]);
  }
}

const doubts = new Map<DoubtReason, Doubt>();

/** The doubt for one reason. */
export function doubt(reason: DoubtReason): Doubt {
  const known = doubts.get(reason) ?? new Doubt([reason]);
  doubts.set(reason, known);
  return known;
}
