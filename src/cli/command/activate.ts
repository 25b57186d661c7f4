import { defineCommand, integerOf, required } from "../command.ts";
import { shown } from "../output.ts";
import { callNaming, callThroughGates, expectedInForce, finishRelease, inForceOption } from "../release.ts";
import { waitOf, waitOption } from "../rollout.ts";
import { openOrganization, projectIdOf, serverOptions } from "../server.ts";

/** `policy-guard activate`: puts a published bundle into force. */
export const activate = defineCommand({
  name: "activate",
  summary: "Put a published bundle into force.",
  positionals: { label: "--project <id|name> --env <name> --version <n>", min: 0, max: 0 },
  options: {
    ...serverOptions,
    project: { type: "string", value: "ID|NAME", help: "The project." },
    env: { type: "string", value: "NAME", help: "The environment." },
    version: { type: "string", value: "N", help: "The version; an older one rolls back." },
    ...waitOption,
    ...inForceOption,
    message: { type: "string", short: "m", value: "TEXT", help: "Why it is activated." },
  },
  async run({ values, output, world }) {
    const project = required(values.project, "project");
    const envName = required(values.env, "env");
    const version = integerOf(required(values.version, "version"), "version", 1);
    const expectedActivationSeq = expectedInForce(values);
    const deadline = waitOf(values);
    const server = await openOrganization(values, world);
    const projectId = await projectIdOf(server, project);
    const { bundle } = await callNaming(server, { projectId, environments: [envName], version }, () =>
      callThroughGates(deadline, {
        output,
        call: () =>
          server.bundles.activateBundle({
            ...{ orgId: server.orgId, projectId, envName, version },
            ...{ expectedActivationSeq, message: values.message },
          }),
      }),
    );
    if (bundle === undefined) throw new Error("the server answered without a bundle");
    const { environment, activationSeq } = bundle;
    output.line(`version ${bundle.version} of ${shown(environment)} is active, by activation ${activationSeq ?? 0}`);
    return finishRelease(server, bundle, { deadline, output });
  },
});
