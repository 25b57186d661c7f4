import { RuleOverrideSchema } from "../../../../gen/policyguard/control/v1/override_pb.ts";
import { defineCommand, integerOf, required } from "../../command.ts";
import { exitCodes, refusal } from "../../failure.ts";
import { shown } from "../../output.ts";
import { openEnvironment, overrideOptions, overrideRow } from "../../override.ts";
import { callNaming } from "../../release.ts";
import { resourceJson } from "../../resource-json.ts";
import { findPolicy } from "../../server.ts";

/** `policy-guard overrides set`: keeps a rule in shadow for a while. */
export const overridesSet = defineCommand({
  name: "overrides set",
  summary: "Keep a rule of an environment in shadow for a while, without a new version.",
  positionals: { label: "<policy> <rule> --project <id|name> --env <name> --reason <text>", min: 2, max: 2 },
  options: {
    ...overrideOptions,
    reason: { type: "string", value: "TEXT", help: "Why; the log of evidence keeps it." },
    hours: { type: "string", value: "N", help: "How long, 168 at most; default: 24." },
    calibration: { type: "string", value: "ID", help: "The calibration that proposed it." },
  },
  notes: "Runtimes older than overrides go on enforcing the rule. It ends by itself.",
  async run({ values, positionals: [policyName = "", ruleId = ""], output, world }) {
    const reason = required(values.reason, "reason");
    const hours = integerOf(values.hours, "hours", 1);
    const { server, projectId, envName } = await openEnvironment(values, world);
    const policy = await findPolicy(server, policyName);
    if (policy === undefined) throw refusal("not_found", `there is no policy "${policyName}"`);
    const { override } = await callNaming(server, { projectId, environments: [envName] }, () =>
      server.overrides.createOverride({
        ...{ orgId: server.orgId, projectId, envName, policyId: policy.id, ruleId, reason, hours },
        calibrationId: values.calibration,
      }),
    );
    if (override === undefined) throw refusal("no_answer", "the server answered without an override");
    const [id = "", rule = "", end = ""] = overrideRow(override);
    output.line(`${rule} of ${shown(envName)} is ${end}, by activation ${override.activationSeq} (${id})`);
    output.json(resourceJson(RuleOverrideSchema, override));
    return exitCodes.fine;
  },
});
