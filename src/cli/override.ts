// What the commands about overrides share: the environment that they are about, and how an override is printed.

import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { RuleOverride } from "../../gen/policyguard/control/v1/override_pb.ts";
import { wholeSeconds } from "../kit/process/clock.ts";
import { required, type Surroundings, type Values } from "./command.ts";
import { shown } from "./output.ts";
import { type Organization, openOrganization, projectIdOf, serverOptions } from "./server.ts";

/** Options of every command about overrides. */
export const overrideOptions = {
  ...serverOptions,
  project: { type: "string", value: "ID|NAME", help: "The project." },
  env: { type: "string", value: "NAME", help: "The environment." },
} as const;

/** The server, and the environment that a command is about. */
export async function openEnvironment(
  values: Values<typeof overrideOptions>,
  world: Surroundings,
): Promise<{ readonly server: Organization; readonly projectId: string; readonly envName: string }> {
  const project = required(values.project, "project");
  const envName = required(values.env, "env");
  const server = await openOrganization(values, world);
  return { server, projectId: await projectIdOf(server, project), envName };
}

/** The columns of an override. */
export function overrideRow({ id, policy, ruleId, until, reason }: RuleOverride): string[] {
  const end = until === undefined ? "" : `in shadow until ${wholeSeconds(timestampDate(until))}`;
  return [id, `${shown(policy)}/${shown(ruleId)}`, end, shown(reason)];
}
