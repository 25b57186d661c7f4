import { defineCommand } from "../command.ts";
import { exitCodes, refusal } from "../failure.ts";
import { policyJson } from "../resource-json.ts";
import { findPolicy, openOrganization, serverOptions } from "../server.ts";

/** `policy-guard policies get`: prints the document of a policy. */
export const policiesGet = defineCommand({
  name: "policies get",
  summary: "Print the document of a policy.",
  positionals: { label: "<name|id>", min: 1, max: 1 },
  options: serverOptions,
  notes: "A policy that came as JSON is printed as JSON.",
  async run({ values, positionals: [given = ""], output, world }) {
    const server = await openOrganization(values, world);
    const found = await findPolicy(server, given);
    if (found === undefined) throw noPolicy(given);
    const { policy } = await server.policies.getPolicy({ orgId: server.orgId, policyId: found.id });
    if (policy === undefined) throw noPolicy(given);
    const document = policy.document ?? {};
    if (!output.isJson) output.raw(withLineEnd(policy.source ?? JSON.stringify(document, null, 2)));
    output.json({ ...policyJson(policy), document, source: policy.source ?? null, message: policy.message ?? null });
    return exitCodes.fine;
  },
});

function noPolicy(given: string) {
  return refusal("not_found", `this credential sees no policy "${given}"`, {
    hint: "`policy-guard policies list` lists those that there are.",
  });
}

function withLineEnd(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
