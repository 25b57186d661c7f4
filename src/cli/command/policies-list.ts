import { defineCommand } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { columns, counted, shown } from "../output.ts";
import { policyJson, timeText } from "../resource-json.ts";
import { allPolicies, openOrganization, projectIdOf, serverOptions } from "../server.ts";

/** `policy-guard policies list`: the policies on the server. */
export const policiesList = defineCommand({
  name: "policies list",
  summary: "List the policies on the server.",
  positionals: { label: "", min: 0, max: 0 },
  options: {
    ...serverOptions,
    query: { type: "string", value: "TEXT", help: "Policies with this in their name or description." },
    project: { type: "string", value: "ID|NAME|*", help: 'Policies of this project; "*" for those of all projects.' },
  },
  async run({ values: { query, project, ...values }, output, world }) {
    const server = await openOrganization(values, world);
    const appId = project === undefined || project === "*" ? project : await projectIdOf(server, project);
    const policies = await allPolicies(server, { query, appId });
    const rows = policies.map(({ name, version, ruleCount, scope, updatedAt }) => [
      shown(name),
      `v${version}`,
      counted(ruleCount, "rule"),
      `project ${scope?.appId ?? "*"}`,
      `agent ${scope?.agentId ?? "*"}`,
      `env ${scope?.env ?? "*"}`,
      timeText(updatedAt) ?? "",
    ]);
    for (const line of columns(rows)) output.line(line);
    if (policies.length === 0) output.note("There is no policy that matches and that this credential sees.");
    output.json({ policies: policies.map((policy) => ({ ...policyJson(policy), rule_count: policy.ruleCount })) });
    return exitCodes.fine;
  },
});
