import { defineCommand, integerOf, required } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { counted, shown } from "../output.ts";
import { bundleJson, bundleState } from "../resource-json.ts";
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
    "expected-version": { type: "string", value: "N", help: "The newest version there is; 0 for none." },
    message: { type: "string", short: "m", value: "TEXT", help: "What this bundle is about." },
  },
  async run({ values, output, world }) {
    const project = required(values.project, "project");
    const envName = required(values.env, "env");
    const expectedVersion = integerOf(values["expected-version"], "expected-version", 0);
    const server = await openOrganization(values, world);
    const projectId = await projectIdOf(server, project);
    const { activate, message } = values;
    const place = { orgId: server.orgId, projectId, envName };
    const { bundle } = await server.bundles.publishBundle({ ...place, expectedVersion, activate, message });
    if (bundle === undefined) throw new Error("the server answered without a bundle");
    output.line(`published version ${bundle.version} of ${shown(bundle.environment)}: ${bundleState(bundle)}`);
    output.line(`${counted(bundle.policies.length, "policy", "policies")}, digest ${bundle.digest}`);
    output.json(bundleJson(bundle));
    return exitCodes.fine;
  },
});
