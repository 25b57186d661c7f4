// Steps of vectors about teams: what no call of the API can do, or tells.

import type { SceneStep } from "./scene-step.ts";

/** Steps about teams; see scene.ts. */
export const teamSteps: Readonly<Record<string, SceneStep>> = {
  $opened: async ({ link }) => ({ token: new URLSearchParams(new URL(String(link)).hash.slice(1)).get("token") ?? "" }),
  $expire: async ({ member_id }, { plane }, { orgId }) => {
    await plane.database.systemTransaction(orgId, (tx) =>
      tx.sql("update member set invitation_expires_at = ? where org_id = ? and id = ?", [tx.now, orgId, member_id]),
    );
    return {};
  },
  $wish: async (_request, { plane }, { orgId }) => {
    const [row] = await plane.database.read(orgId, (tx) =>
      tx.sql<{ id: string }>("select id from join_request where org_id = ?", [orgId]),
    );
    return { id: row?.id ?? "" };
  },
};
