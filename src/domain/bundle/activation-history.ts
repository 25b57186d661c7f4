// The history of an environment: which version was put into force when, by whom and why. Activations from before it was
// kept have neither time nor cause; what is certain of them follows from their versions.

import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import { listActivations, type StoredActivation } from "../../store/bundle/activation-history.ts";
import type { ActivationCause } from "../../store/bundle/bundle.ts";
import type { Database } from "../../store/connection/database.ts";
import { requireEnvironment, requireProject } from "../lookup.ts";
import type { EnvironmentPath } from "./lookup.ts";

/** An activation of an environment. */
export interface PastActivation {
  readonly activationSeq: number;
  readonly version: number;
  readonly digest: string;
  /** How the version was made. */
  readonly source: string;
  /** Undefined, as the time, where nobody knows it. */
  readonly cause: ActivationCause | undefined;
  /** The version that was in force before; undefined for the first. */
  readonly previousVersion: number | undefined;
  readonly message: string | undefined;
  readonly createdBy: string;
  readonly activatedAt: Date | undefined;
  readonly isInForce: boolean;
}

/** Shows what was in force. */
export class ActivationHistory {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A page of the environment's activations, the newest first, and their count. */
  list(caller: Caller, path: EnvironmentPath, page: Page): Promise<[PastActivation[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, path.projectId);
      const environment = await requireEnvironment(tx, path.projectId, path.environment);
      const [rows, total] = await listActivations(tx, environment.id, page);
      return [rows.map((row) => pastActivation(row, environment.activationSeq)), total];
    });
  }
}

/** The activation; `current` is the sequence number in force. */
export function pastActivation(row: StoredActivation, current: number): PastActivation {
  const activatedAt = row.activated_at ?? knownTime(row);
  const cause = row.cause ?? knownCause(row, activatedAt);
  const message = row.message ?? (isRelease(cause) ? row.bundle_message : null);
  return {
    ...{ activationSeq: row.activation_seq, version: row.version, digest: row.digest, source: row.source },
    ...{ cause, previousVersion: row.previous_version ?? undefined, message: message ?? undefined },
    ...{ createdBy: row.created_by, activatedAt, isInForce: row.activation_seq === current },
  };
}

/**
 * The time of one from before it was kept: that of its version, which has the time of its last activation, and the
 * number of that or of a later override. So it is certain where the number is the same, and the version took the place
 * of another one.
 */
function knownTime({
  activation_seq: seq,
  version,
  previous_version: former,
  last_activation_seq: last,
  last_activated_at: time,
}: StoredActivation): Date | undefined {
  return seq === last && former !== version ? (time ?? undefined) : undefined;
}

/** Of those, a version that was activated at the moment of its making was so by the call that made it. */
function knownCause({ published_at, source }: StoredActivation, time: Date | undefined): ActivationCause | undefined {
  return time?.getTime() === published_at.getTime() ? causeOfSource(source) : undefined;
}

/** What makes an activation when the call that makes the version activates it. */
export function causeOfSource(source: string): ActivationCause {
  if (source.startsWith("promote:")) return "promote";
  return source === "republish" ? "republish" : "publish";
}

/** Whether the version's own message is that of the activation. */
function isRelease(cause: ActivationCause | undefined): boolean {
  return cause === "publish" || cause === "republish" || cause === "promote";
}
