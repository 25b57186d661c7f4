// The gate "replay": whether content, had it judged the environment's traces of the last days, would have blocked and
// allowed nearly the same.

import type { FieldViolation } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import { listOverrides } from "../../store/bundle/override.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import type { EnvironmentRow } from "../../store/project/environment.ts";
import type { GateMeasure, GateOfKind } from "../bundle/gate/measure.ts";
import { beginOnce, type GateAsk } from "../bundle/gate/result.ts";
import type { GateFinding } from "../bundle/gate/verdict.ts";
import { addReplay } from "./replay.ts";
import type { ReplaySpec } from "./replay-spec.ts";

const dayMs = 86_400_000;
/** Traces that a gate judges at most: each outcome has an equal share, so that blocked ones are not missed. */
const maxTraces = 100_000;

/** Finds out by replays. */
export class ReplayGate implements GateMeasure<"replay"> {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
    this.#database = database;
    this.#clock = clock;
  }

  async problems(): Promise<FieldViolation[]> {
    return [];
  }

  /** The day: traffic changes. */
  async basis(_tx: Transaction, { name, activeVersion }: EnvironmentRow): Promise<string | GateFinding> {
    if (activeVersion == null) {
      return { state: "passed", reason: `nothing is in force in ${name}, so nothing is blocked or allowed anew` };
    }
    return this.#clock.now().toISOString().slice(0, 10);
  }

  async begin(caller: Caller, ask: GateAsk<GateOfKind<"replay">>): Promise<void> {
    const { projectId, name: environment } = ask.environment;
    const until = this.#clock.now();
    const since = new Date(until.getTime() - ask.gate.replay.windowDays * dayMs);
    const spec: Omit<ReplaySpec, "lifted"> = {
      subject: { bundle: { projectId, environment, contentDigest: ask.contentDigest } },
      ...{ policy: null, filter: { projectId, environment } },
      ...{ since: since.toISOString(), until: until.toISOString() },
      sample: { max: maxTraces, method: "by_outcome", seed: 0 },
      // The answer belongs to the content, whoever asks; so text is read where there is some, and only counts come out.
      ...{ by: "auto", asOf: "now", mayReadText: true },
    };
    await this.#database.transaction(caller, (tx) =>
      beginOnce(tx, ask, {
        basis: () => this.basis(tx, ask.environment),
        begin: async () => {
          const overrides = await listOverrides(tx, ask.environment.id);
          const lifted = overrides.map(({ policy, ruleId, activationSeq }) => ({ policy, ruleId, activationSeq }));
          const run = await addReplay(tx, caller, lifted.length === 0 ? spec : { ...spec, lifted });
          return { runId: run.id };
        },
      }),
    );
  }
}
