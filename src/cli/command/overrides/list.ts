import { RuleOverrideSchema } from "../../../../gen/policyguard/control/v1/override_pb.ts";
import { defineCommand } from "../../command.ts";
import { exitCodes } from "../../failure.ts";
import { columns, shown } from "../../output.ts";
import { openEnvironment, overrideOptions, overrideRow } from "../../override.ts";
import { callNaming } from "../../release.ts";
import { resourceJson } from "../../resource-json.ts";

/** `policy-guard overrides list`: lists the rules that an environment keeps in shadow for a while. */
export const overridesList = defineCommand({
  name: "overrides list",
  summary: "List the rules that an environment keeps in shadow for a while.",
  positionals: { label: "--project <id|name> --env <name>", min: 0, max: 0 },
  options: overrideOptions,
  async run({ values, output, world }) {
    const { server, projectId, envName } = await openEnvironment(values, world);
    const { overrides } = await callNaming(server, { projectId, environments: [envName] }, () =>
      server.overrides.listOverrides({ orgId: server.orgId, projectId, envName }),
    );
    for (const line of columns(overrides.map(overrideRow))) output.line(line);
    if (overrides.length === 0) output.line(`${shown(envName)} has no override`);
    output.json({ overrides: overrides.map((override) => resourceJson(RuleOverrideSchema, override)) });
    return exitCodes.fine;
  },
});
