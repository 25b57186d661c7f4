import { defineCommand } from "../../command.ts";
import { exitCodes } from "../../failure.ts";
import { shown } from "../../output.ts";
import { openEnvironment, overrideOptions } from "../../override.ts";

/** `policy-guard overrides end`: ends an override now. */
export const overridesEnd = defineCommand({
  name: "overrides end",
  summary: "End an override now: the rule is enforced again.",
  positionals: { label: "<override id> --project <id|name> --env <name>", min: 1, max: 1 },
  options: overrideOptions,
  async run({ values, positionals: [overrideId = ""], output, world }) {
    const { server, projectId, envName } = await openEnvironment(values, world);
    await server.overrides.deleteOverride({ orgId: server.orgId, projectId, envName, overrideId });
    output.line(`the override ${shown(overrideId)} has ended`);
    output.json({ id: overrideId });
    return exitCodes.fine;
  },
});
