import { setTimeout as sleep } from "node:timers/promises";
import { GateState, GateStateSchema } from "../../../gen/policyguard/control/v1/gate_pb.ts";
import { wireName } from "../../kit/protobuf/wire-name.ts";
import { defineCommand, integerOf, required } from "../command.ts";
import { exitCodes } from "../failure.ts";
import { standingJson } from "../gate-file.ts";
import { columns, shown } from "../output.ts";
import { callNaming } from "../release.ts";
import { waitOf } from "../rollout.ts";
import { openOrganization, projectIdOf, serverOptions } from "../server.ts";

/** `policy-guard gates check`: says how a version stands before its gates. */
export const gatesCheck = defineCommand({
  name: "gates check",
  summary: "Say how a version stands before its gates, and begin what is not known yet.",
  positionals: { label: "--project <id|name> --env <name>", min: 0, max: 0 },
  options: {
    ...serverOptions,
    project: { type: "string", value: "ID|NAME", help: "The project." },
    env: { type: "string", value: "NAME", help: "The environment." },
    version: { type: "string", value: "N", help: "The version; default: the newest." },
    wait: {
      type: "string",
      value: "SECONDS",
      whenBare: "600",
      help: "Wait until no gate is pending; at most 600 seconds without a value.",
    },
  },
  notes: "It ends with 1 while a gate is closed: it has failed, is pending, or nobody can find out how it stands.",
  async run({ values, output, world }) {
    const project = required(values.project, "project");
    const envName = required(values.env, "env");
    const wanted = integerOf(values.version, "version", 1);
    const deadline = waitOf(values);
    const server = await openOrganization(values, world);
    const projectId = await projectIdOf(server, project);
    const request = { orgId: server.orgId, projectId, envName, version: wanted };
    const check = () =>
      callNaming(server, { projectId, environments: [envName], version: wanted }, () =>
        server.gates.checkGates(request),
      );
    let checked = await check();
    for (;;) {
      const leftMs = deadline?.leftMs() ?? 0;
      if (leftMs <= 0 || checked.gates.every(({ state }) => state !== GateState.PENDING)) break;
      await sleep(Math.min(1_000 * (checked.retryAfter ?? 1), leftMs));
      checked = await check();
    }
    const { version, contentDigest, gates } = checked;
    output.line(`version ${version} of ${shown(envName)}`);
    const rows = gates.map(({ gate, state, passed, reason = "" }) => [
      ...[gate, wireName(GateStateSchema, state), passed ? "open" : "closed", shown(reason)],
    ]);
    for (const line of columns(rows)) output.line(line);
    output.json({ version, content_digest: contentDigest, gates: gates.map(standingJson) });
    return gates.every(({ passed }) => passed) ? exitCodes.fine : exitCodes.refused;
  },
});
