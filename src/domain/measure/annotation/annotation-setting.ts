// How the traces of a project are annotated.

import type { Caller } from "../../../kit/rpc/context.ts";
import type { Database } from "../../../store/connection/database.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import { AnnotationSettingRow, findAnnotationSetting } from "../../../store/measure/annotation/annotation-setting.ts";
import { requireProject } from "../../lookup.ts";
import { resolveProject } from "./annotation-verdict.ts";

/** The settings of a project. */
export interface AnnotationSetting {
  /** Annotators that have to agree by majority. */
  readonly quorum: number;
  /** Traces that the random lane and the informative lane of the queue get a day. */
  readonly targetPerDay: number;
  readonly informativePerDay: number;
}

/** What to change; undefined for the default. */
type SettingChange = { readonly [Name in keyof AnnotationSetting]?: AnnotationSetting[Name] | undefined };

const defaults: AnnotationSetting = { quorum: 1, targetPerDay: 50, informativePerDay: 20 };

/** Reads and changes the settings. */
export class AnnotationSettings {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The project's settings. */
  get(caller: Caller, projectId: string): Promise<AnnotationSetting> {
    return this.#database.read(caller.orgId, async (tx) => {
      await requireProject(tx, projectId);
      return annotationSettingOf(tx, projectId);
    });
  }

  /** Replaces the settings; what is unset is the default. */
  update(caller: Caller, projectId: string, change: SettingChange): Promise<AnnotationSetting> {
    return this.#database.transaction(caller, async (tx) => {
      await requireProject(tx, projectId);
      const before = await annotationSettingOf(tx, projectId);
      const { quorum = defaults.quorum, targetPerDay = defaults.targetPerDay } = change;
      const { informativePerDay = defaults.informativePerDay } = change;
      const after = { quorum, targetPerDay, informativePerDay };
      await tx.em.upsert(AnnotationSettingRow, { orgId: tx.orgId, projectId, ...after });
      if (before.quorum !== after.quorum) await resolveProject(tx, projectId, after.quorum);
      tx.changed({ resource: `project/${projectId}`, before: auditView(before), after: auditView(after) });
      return after;
    });
  }
}

/** The project's settings as they are in force. */
export async function annotationSettingOf(tx: Transaction, projectId: string): Promise<AnnotationSetting> {
  const { quorum, targetPerDay, informativePerDay } = (await findAnnotationSetting(tx, projectId)) ?? defaults;
  return { quorum, targetPerDay, informativePerDay };
}

function auditView({ quorum, targetPerDay, informativePerDay }: AnnotationSetting) {
  return { quorum, target_per_day: targetPerDay, informative_per_day: informativePerDay };
}
