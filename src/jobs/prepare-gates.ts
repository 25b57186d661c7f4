import { isUuid } from "../kit/process/id.ts";
import { defineTask } from "./task.ts";

/** Begins to find out how a version stands before its gates. What has begun already does not begin again. */
export const prepareGates = defineTask({
  name: "prepare-gates",
  read({ org_id, environment_id, version }) {
    const isWhole =
      typeof org_id === "string" && isUuid(org_id) && typeof environment_id === "string" && isUuid(environment_id);
    if (!isWhole || typeof version !== "number") throw new Error("a prepare-gates job without its version");
    return { org_id, environment_id, version };
  },
  run: ({ gateKeeper }, { org_id: orgId, environment_id: environmentId, version }) =>
    gateKeeper.prepare(orgId, environmentId, version),
});
