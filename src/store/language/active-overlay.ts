// Which overlays the active bundles of an organization carry.

import type { Transaction } from "../core/transaction.ts";

/** An environment with an active bundle. */
export interface ActiveEnvironment {
  readonly projectId: string;
  readonly environment: string;
  /** Digests of its overlays by their paths. */
  readonly overlays: Readonly<Record<string, string>>;
}

/** Every environment with an active bundle, by project and position; only those of a project when one is given. */
export function activeEnvironments(tx: Transaction, projectId?: string): Promise<ActiveEnvironment[]> {
  return tx.sql<ActiveEnvironment>(
    `select e.project_id as "projectId", e.name as environment, coalesce(
       (select jsonb_object_agg(part->>'path', part->>'digest') from jsonb_array_elements(b.parts) part
        where part->>'path' like 'overlays/%'), '{}') as overlays
     from environment e join bundle b
       on b.org_id = e.org_id and b.environment_id = e.id and b.version = e.active_version
     where e.org_id = ? and (?::uuid is null or e.project_id = ?::uuid)
     order by e.project_id, e.position, e.name`,
    [tx.orgId, projectId ?? null, projectId ?? null],
  );
}
