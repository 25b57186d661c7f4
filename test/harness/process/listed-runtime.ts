import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Installation } from "./installation.ts";

/** What the control plane's list of runtimes says of the runtime with this folder; undefined when it is not there. */
export async function listedRuntime({ world, call }: Installation, folder: string): Promise<object | undefined> {
  const instanceId = readFileSync(join(folder, "instance-id"), "utf8").trim();
  const { runtimes } = await call("GET", `/projects/${world.projectId}/envs/${world.environment}/runtimes`);
  return runtimes.find((entry: { instance_id: string }) => entry.instance_id === instanceId);
}
