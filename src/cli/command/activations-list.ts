import {
  type Activation,
  ActivationCauseSchema,
  ActivationSchema,
} from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import { wireName } from "../../kit/protobuf/wire-name.ts";
import { defineCommand, integerOf, required } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { columns, shown } from "../output.ts";
import { callNaming } from "../release.ts";
import { resourceJson, timeText } from "../resource-json.ts";
import { openOrganization, projectIdOf, serverOptions } from "../server.ts";

/** `policy-guard activations list`: lists what was in force in an environment. */
export const activationsList = defineCommand({
  name: "activations list",
  summary: "List what was in force in an environment, the newest first.",
  positionals: { label: "--project <id|name> --env <name>", min: 0, max: 0 },
  options: {
    ...serverOptions,
    project: { type: "string", value: "ID|NAME", help: "The project." },
    env: { type: "string", value: "NAME", help: "The environment." },
    limit: { type: "string", value: "N", help: "At most this many, 1 to 200; default: 50." },
  },
  async run({ values, output, world }) {
    const project = required(values.project, "project");
    const envName = required(values.env, "env");
    const limit = integerOf(values.limit, "limit", 1);
    const server = await openOrganization(values, world);
    const projectId = await projectIdOf(server, project);
    const { total, activations } = await callNaming(server, { projectId, environments: [envName] }, () =>
      server.bundles.listActivations({ orgId: server.orgId, projectId, envName, limit }),
    );
    output.line(`${activations.length} of ${total} activations of ${shown(envName)}`);
    for (const line of columns(activations.map(row))) output.line(line);
    output.json({ total, activations: activations.map((activation) => resourceJson(ActivationSchema, activation)) });
    return exitCodes.fine;
  },
});

function row(activation: Activation): string[] {
  const { activationSeq, activatedAt, isInForce, version, createdBy, message = "" } = activation;
  return [
    ...[`#${activationSeq}`, timeText(activatedAt) ?? "-", `version ${version}`, isInForce ? "in force" : ""],
    ...[deedOf(activation), shown(createdBy), shown(message)],
  ];
}

function deedOf({ cause, version, previousVersion = 0, source }: Activation): string {
  const name = cause === undefined ? "-" : wireName(ActivationCauseSchema, cause);
  if (name === "promote") return source;
  return name === "activate" && version < previousVersion ? `activate (back from ${previousVersion})` : name;
}
