import { defineCommand } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { columns, shown } from "../output.ts";
import { policyJson, timeText } from "../resource-json.ts";
import { allPolicies, openOrganization, serverOptions } from "../server.ts";

/** `policy-guard policies list`: the policies on the server. */
export const policiesList = defineCommand({
  name: "policies list",
  summary: "List the policies on the server.",
  positionals: { label: "", min: 0, max: 0 },
  options: serverOptions,
  async run({ values, output, world }) {
    const policies = await allPolicies(await openOrganization(values, world));
    const rows = policies.map(({ name, version, scope, updatedAt }) => [
      shown(name),
      `v${version}`,
      `project ${scope?.appId ?? "*"}`,
      `agent ${scope?.agentId ?? "*"}`,
      `env ${scope?.env ?? "*"}`,
      timeText(updatedAt) ?? "",
    ]);
    for (const line of columns(rows)) output.line(line);
    if (policies.length === 0) output.note("There are no policies that this credential sees.");
    output.json({ policies: policies.map(policyJson) });
    return exitCodes.fine;
  },
});
