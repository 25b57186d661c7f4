import { defineCommand, integerOf, required } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { gateJson, readGates } from "../gate-file.ts";
import { counted, shown } from "../output.ts";
import { callNaming } from "../release.ts";
import { openOrganization, projectIdOf, serverOptions } from "../server.ts";

/** `policy-guard gates set`: replaces the gates of an environment. */
export const gatesSet = defineCommand({
  name: "gates set",
  summary: "Replace the gates of an environment by those of a file.",
  positionals: { label: "<file> --project <id|name> --env <name>", min: 1, max: 1 },
  options: {
    ...serverOptions,
    project: { type: "string", value: "ID|NAME", help: "The project." },
    env: { type: "string", value: "NAME", help: "The environment." },
    "expected-version": { type: "string", value: "N", help: "The version of the gates that this one follows." },
  },
  notes: "The file has a list of gates, or an object with `gates`, as YAML or JSON. What it does not name goes.",
  async run({ values, positionals: [file = ""], output, world }) {
    const project = required(values.project, "project");
    const envName = required(values.env, "env");
    const expectedVersion = integerOf(values["expected-version"], "expected-version", 0);
    const gates = readGates(file);
    const server = await openOrganization(values, world);
    const projectId = await projectIdOf(server, project);
    const { gateSet } = await callNaming(server, { projectId, environments: [envName] }, () =>
      server.gates.setGates({ orgId: server.orgId, projectId, envName, gates, expectedVersion }),
    );
    const set = (gateSet?.gates ?? []).map(gateJson);
    output.line(`${shown(envName)} has ${counted(set.length, "gate", "gates")}, version ${gateSet?.version ?? 0}`);
    output.json({ version: gateSet?.version ?? 0, gates: set });
    return exitCodes.fine;
  },
});
