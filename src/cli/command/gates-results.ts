import { timestampDate } from "@bufbuild/protobuf/wkt";
import { GateStateSchema } from "../../../gen/policyguard/control/v1/gate_pb.ts";
import { wholeSeconds } from "../../kit/process/clock.ts";
import { wireName } from "../../kit/protobuf/wire-name.ts";
import { defineCommand, integerOf, required } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { resultJson } from "../gate-file.ts";
import { columns, shown } from "../output.ts";
import { callNaming } from "../release.ts";
import { openOrganization, projectIdOf, serverOptions } from "../server.ts";

/** `policy-guard gates results`: lists what was found out for gates. */
export const gatesResults = defineCommand({
  name: "gates results",
  summary: "List what benchmarks, replays and measurements have said for gates, the newest first.",
  positionals: { label: "--project <id|name> --env <name>", min: 0, max: 0 },
  options: {
    ...serverOptions,
    project: { type: "string", value: "ID|NAME", help: "The project." },
    env: { type: "string", value: "NAME", help: "The environment." },
    gate: { type: "string", value: "ID", help: "Only of this gate." },
    content: { type: "string", value: "DIGEST", help: "Only about this content." },
    limit: { type: "string", value: "N", help: "At most this many, 1 to 200; default: 50." },
  },
  async run({ values, output, world }) {
    const project = required(values.project, "project");
    const envName = required(values.env, "env");
    const limit = integerOf(values.limit, "limit", 1);
    const server = await openOrganization(values, world);
    const projectId = await projectIdOf(server, project);
    const wanted = { gate: values.gate, contentDigest: values.content, limit };
    const { total, results } = await callNaming(server, { projectId, environments: [envName] }, () =>
      server.gates.listGateResults({ orgId: server.orgId, projectId, envName, ...wanted }),
    );
    output.line(`${results.length} of ${total} results for gates of ${shown(envName)}`);
    const rows = results.map(({ gate, state, basis, reason, runId = "", createdAt }) => [
      ...[createdAt === undefined ? "" : wholeSeconds(timestampDate(createdAt)), gate],
      ...[wireName(GateStateSchema, state), shown(basis), shown(reason), runId],
    ]);
    for (const line of columns(rows)) output.line(line);
    output.json({ total, results: results.map(resultJson) });
    return exitCodes.fine;
  },
});
