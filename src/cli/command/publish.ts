import { defineCommand, integerOf, required } from "../command.ts";
import { counted, shown } from "../output.ts";
import { callNaming, callThroughGates, expectedInForce, finishRelease, inForceOption, stateText } from "../release.ts";
import { waitOf, waitOption } from "../rollout.ts";
import { openOrganization, projectIdOf, serverOptions } from "../server.ts";

/** `policy-guard publish`: signs the policies of an environment as its next bundle. */
export const publish = defineCommand({
  name: "publish",
  summary: "Sign the policies of an environment as its next bundle.",
  positionals: { label: "--project <id|name> --env <name>", min: 0, max: 0 },
  options: {
    ...serverOptions,
    project: { type: "string", value: "ID|NAME", help: "The project." },
    env: { type: "string", value: "NAME", help: "The environment." },
    activate: { type: "boolean", help: "Also put it into force." },
    ...waitOption,
    "expected-version": { type: "string", value: "N", help: "The newest version that exists; 0 for none." },
    ...inForceOption,
    message: { type: "string", short: "m", value: "TEXT", help: "What this bundle is about." },
  },
  async run({ values, output, world }) {
    const project = required(values.project, "project");
    const envName = required(values.env, "env");
    const expectedVersion = integerOf(values["expected-version"], "expected-version", 0);
    const expectedActivationSeq = expectedInForce(values);
    const deadline = waitOf(values);
    const server = await openOrganization(values, world);
    const projectId = await projectIdOf(server, project);
    const { activate, message } = values;
    const place = { orgId: server.orgId, projectId, envName };
    const { bundle } = await callNaming(server, { projectId, environments: [envName] }, () =>
      callThroughGates(deadline, {
        output,
        call: () =>
          server.bundles.publishBundle({ ...place, expectedVersion, expectedActivationSeq, activate, message }),
      }),
    );
    if (bundle === undefined) throw new Error("the server answered without a bundle");
    output.line(`published version ${bundle.version} of ${shown(bundle.environment)}: ${stateText(bundle)}`);
    output.line(`${counted(bundle.policies.length, "policy", "policies")}, digest ${bundle.digest}`);
    return finishRelease(server, bundle, { deadline, output });
  },
});
