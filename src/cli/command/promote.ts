import { defineCommand, integerOf, required } from "../command.ts";
import { shown } from "../output.ts";
import { callNaming, callThroughGates, expectedInForce, finishRelease, inForceOption, stateText } from "../release.ts";
import { waitOf, waitOption } from "../rollout.ts";
import { openOrganization, projectIdOf, serverOptions } from "../server.ts";

/** `policy-guard promote`: takes an unchanged bundle to the next environment. */
export const promote = defineCommand({
  name: "promote",
  summary: "Take a bundle from one environment to another, unchanged.",
  positionals: { label: "--project <id|name> --from <env> --to <env>", min: 0, max: 0 },
  options: {
    ...serverOptions,
    project: { type: "string", value: "ID|NAME", help: "The project." },
    from: { type: "string", value: "NAME", help: "The environment to take it from." },
    to: { type: "string", value: "NAME", help: "The environment to take it to." },
    version: { type: "string", value: "N", help: "The version; default: the one in force." },
    "no-activate": { type: "boolean", help: "Do not put it into force there." },
    ...waitOption,
    "expected-version": { type: "string", value: "N", help: "The newest version of the target; 0 for none." },
    ...inForceOption,
    message: { type: "string", short: "m", value: "TEXT", help: "What this bundle is about." },
  },
  notes:
    "The content stays the same to the byte; its signature is new. Gates of the target environment hold as always.",
  async run({ values, output, world }) {
    const project = required(values.project, "project");
    const [sourceEnv, targetEnv] = [required(values.from, "from"), required(values.to, "to")];
    const version = integerOf(values.version, "version", 1);
    const expectedVersion = integerOf(values["expected-version"], "expected-version", 0);
    const expectedActivationSeq = expectedInForce(values);
    const deadline = waitOf(values);
    const server = await openOrganization(values, world);
    const projectId = await projectIdOf(server, project);
    const activate = values["no-activate"] !== true;
    const named = { projectId, environments: [sourceEnv, targetEnv], version };
    const { bundle } = await callNaming(server, named, () =>
      callThroughGates(deadline, {
        output,
        call: () =>
          server.bundles.promoteBundle({
            ...{ orgId: server.orgId, projectId, sourceEnv, targetEnv },
            ...{ version, expectedVersion, expectedActivationSeq, activate, message: values.message },
          }),
      }),
    );
    if (bundle === undefined) throw new Error("the server answered without a bundle");
    output.line(`promoted to version ${bundle.version} of ${shown(bundle.environment)}: ${stateText(bundle)}`);
    output.line(`digest ${bundle.digest}`);
    return finishRelease(server, bundle, { deadline, output });
  },
});
