// Lists that policies read by name. They change without a new version of a policy, and take effect with the next
// bundle.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault, notFound } from "../../kit/fault/fault.ts";
import { newId } from "../../kit/process/id.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import { violatedUnique } from "../../store/connection/driver-error.ts";
import { deleteList, findList, ListRow, listLists, lockList } from "../../store/policy/list.ts";
import { isUnchanged } from "../unchanged.ts";
import { assertMayWrite, resolveScope, type ScopeInput, visibleApps } from "./scope.ts";

/** The input for a new list. */
export interface ListInput {
  readonly name: string;
  readonly description?: string | undefined;
  readonly scope?: ScopeInput | undefined;
  readonly items: readonly string[];
}

/** The input for a change of a list. */
export interface ListChange {
  readonly items: readonly string[];
  /** Unset to keep it. */
  readonly description?: string | undefined;
  readonly expectedRevision?: number | undefined;
}

/** Creates, lists, changes and deletes lists. */
export class Lists {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Creates a list. */
  create(caller: Caller, { name, description, scope, items }: ListInput): Promise<ListRow> {
    return scopesAreUnique(
      this.#database.transaction(caller, async (tx) => {
        const resolved = await resolveScope(tx, scope ?? {});
        assertMayWrite(caller, resolved);
        const list = tx.em.create(ListRow, {
          ...{ orgId: tx.orgId, id: newId(), name, description: description ?? null, ...resolved },
          ...{ items: [...items], itemCount: items.length, revision: 1, createdAt: tx.now, updatedAt: tx.now },
        });
        await tx.em.flush();
        tx.changed({ resource: `list/${list.id}`, before: null, after: auditView(list) });
        return list;
      }),
    );
  }

  /** A page of the lists that the caller sees, without their items. */
  list(caller: Caller, page: Page): Promise<[ListRow[], number]> {
    return this.#database.read(caller.orgId, (tx) => listLists(tx, page, visibleApps(caller)));
  }

  /** The list with its items. */
  get(caller: Caller, id: string): Promise<ListRow> {
    return this.#database.read(caller.orgId, async (tx) => requireVisible(caller, await findList(tx, id)));
  }

  /** Replaces the items. */
  update(caller: Caller, id: string, change: ListChange): Promise<ListRow> {
    return this.#database.transaction(caller, async (tx) => {
      const list = requireVisible(caller, await lockList(tx, id));
      assertMayWrite(caller, list);
      assertRevision(list.revision, change.expectedRevision);
      const before = auditView(list);
      const { items, description = list.description } = change;
      const next = { items: [...items], itemCount: items.length, description };
      if (!isUnchanged(list, next)) {
        Object.assign(list, next, { revision: list.revision + 1, updatedAt: tx.now });
      }
      tx.changed({ resource: `list/${id}`, before, after: auditView(list) });
      return list;
    });
  }

  /** Deletes the list. Bundles that contain it keep it. */
  delete(caller: Caller, id: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const list = requireVisible(caller, await lockList(tx, id));
      tx.changed({ resource: `list/${id}`, before: auditView(list), after: null });
      await deleteList(tx, id);
    });
  }
}

function requireVisible(caller: Caller, list: ListRow | null): ListRow {
  const apps = visibleApps(caller);
  if (list === null || (apps !== undefined && !apps.includes(list.appId))) throw notFound("list");
  return list;
}

function assertRevision(current: number, expected: number | undefined): void {
  if (expected === undefined || expected === current) return;
  throw new Fault(
    Reason.VERSION_CONFLICT,
    `the list is at revision ${current}, not ${expected}; read it again and repeat your change`,
    { extra: { current_version: current } },
  );
}

async function scopesAreUnique<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (violatedUnique(error) !== "list_scope") throw error;
    throw new Fault(Reason.ALREADY_EXISTS, "a list with this name and scope exists; update that one", { cause: error });
  }
}

function auditView({ name, description, appId, agentId, env, items, revision }: ListRow): JsonObject {
  const scope = { app_id: appId, agent_id: agentId, env };
  return { name, description: description ?? null, scope, revision, items: [...items] };
}
