// Steps of vectors about a directory.

import { addBuiltInGroups, addGroupMembers, findGroupByName } from "../../../src/store/scim/scim-group.ts";
import { addUnsaidUsers } from "../../../src/store/scim/scim-user.ts";
import type { SceneStep } from "./scene-step.ts";

/** Steps about a directory; see scene.ts. */
export const scimSteps: Readonly<Record<string, SceneStep>> = {
  $scim_group: async ({ name }, { plane }, { orgId, directory }) => {
    await directory("scim");
    const group = await plane.database.read(orgId, (tx) => findGroupByName(tx, String(name).toLowerCase()));
    return { id: group?.id ?? "" };
  },
  $scim_member: async ({ name, member_id }, { plane }, { orgId, directory }) => {
    await directory("scim");
    await plane.database.systemTransaction(orgId, async (tx) => {
      await addBuiltInGroups(tx);
      const group = await findGroupByName(tx, String(name).toLowerCase());
      await addUnsaidUsers(tx, [String(member_id)]);
      await addGroupMembers(tx, group?.id ?? "", [String(member_id)]);
    });
    return {};
  },
  $made_by_directory: async ({ member_id }, { plane }, { orgId }) => {
    await plane.database.systemTransaction(orgId, (tx) =>
      tx.sql("update scim_user set made_account = true where org_id = ? and member_id = ?", [orgId, String(member_id)]),
    );
    return {};
  },
};
