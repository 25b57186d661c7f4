// Hosts of models for tests. Where the add-on is not installed, their tests are skipped by name.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { isAddonInstalled } from "../../../runtime/model-host/addon.ts";
import { ModelClient } from "../../../runtime/model-host/client.ts";
import { ModelHostSupervisor, type SupervisorOptions } from "../../../runtime/model-host/supervisor.ts";
import { createLog } from "../../../src/kit/observability/log.ts";
import { eventually } from "../eventually.ts";

/** Whether tests of models can run here. */
export const hasAddon = isAddonInstalled();

/** A running host with a client. */
export interface TestHost {
  /** The folder of its models. */
  readonly folder: string;
  readonly supervisor: ModelHostSupervisor;
  readonly client: ModelClient;
  readonly stop: () => Promise<void>;
}

/** Starts a host of the models that `write` puts into a folder, and waits until all have been tried. */
export async function startModelHost(
  write: (folder: string) => void,
  { threads = 1, ...more }: Partial<Pick<SupervisorOptions, "threads" | "settledMs">> = {},
): Promise<TestHost> {
  const folder = mkdtempSync(join(tmpdir(), "policy-guard-model-folder-"));
  write(folder);
  const supervisor = new ModelHostSupervisor({
    folder,
    threads,
    log: createLog({ name: "test", level: "silent" }),
    ...more,
  });
  const client = new ModelClient(supervisor.socket);
  await eventually(async () => expect(client.state.isSettled).toBe(true));
  return {
    ...{ folder, supervisor, client },
    stop: async () => {
      client.close();
      await supervisor.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
