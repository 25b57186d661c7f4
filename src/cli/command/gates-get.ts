import { defineCommand, required } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { gateJson } from "../gate-file.ts";
import { columns, shown } from "../output.ts";
import { callNaming } from "../release.ts";
import { openOrganization, projectIdOf, serverOptions } from "../server.ts";

/** `policy-guard gates get`: shows the gates of an environment. */
export const gatesGet = defineCommand({
  name: "gates get",
  summary: "Show the gates that an environment defines for its versions.",
  positionals: { label: "--project <id|name> --env <name>", min: 0, max: 0 },
  options: {
    ...serverOptions,
    project: { type: "string", value: "ID|NAME", help: "The project." },
    env: { type: "string", value: "NAME", help: "The environment." },
  },
  notes: "With --json it prints a file that `gates set` takes.",
  async run({ values, output, world }) {
    const project = required(values.project, "project");
    const envName = required(values.env, "env");
    const server = await openOrganization(values, world);
    const projectId = await projectIdOf(server, project);
    const { gateSet } = await callNaming(server, { projectId, environments: [envName] }, () =>
      server.gates.getGates({ orgId: server.orgId, projectId, envName }),
    );
    const gates = (gateSet?.gates ?? []).map(gateJson);
    output.line(`${shown(envName)} has version ${gateSet?.version ?? 0} of its gates`);
    for (const line of columns(gates.map(({ id, kind, on, enforcement }) => [id, kind, on, enforcement].map(String)))) {
      output.line(line);
    }
    output.json({ version: gateSet?.version ?? 0, gates });
    return exitCodes.fine;
  },
});
