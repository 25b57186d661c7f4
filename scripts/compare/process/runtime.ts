// `npm run runtime` of a checkout, connected to a control plane.

import { mkdirSync } from "node:fs";
import { call, until } from "../call.ts";
import { at } from "../json.ts";
import type { Checkout } from "./checkout.ts";
import { freePorts } from "./free-port.ts";
import { remembered, stopped, untilReady } from "./running.ts";

/** A running runtime. */
export interface Runtime {
  readonly url: string;
  readonly token: string;
  readonly logFile: string;
  readonly managementPort: number;
  /** Waits until it enforces a version of the bundle. */
  enforces(version: number): Promise<true>;
  stop(): Promise<void>;
}

/** What a runtime needs to know. */
export interface RuntimeOptions {
  readonly checkout: Checkout;
  readonly dataFolder: string;
  readonly controlPlaneUrl: string;
  readonly token: string;
}

/** Starts a runtime and waits until it has a bundle. */
export async function startRuntime({ checkout, dataFolder, controlPlaneUrl, token }: RuntimeOptions): Promise<Runtime> {
  mkdirSync(dataFolder, { recursive: true });
  const [port = 0, managementPort = 0] = await freePorts(2);
  const logFile = `${dataFolder}.log`;
  const child = remembered(
    checkout.start("runtime", {
      logFile,
      env: {
        POLICY_GUARD_DATA: dataFolder,
        POLICY_GUARD_URL: controlPlaneUrl,
        POLICY_GUARD_TOKEN: token,
        RUNTIME_PORT: String(port),
        RUNTIME_MANAGEMENT_PORT: String(managementPort),
      },
    }),
  );
  const url = `http://127.0.0.1:${port}`;
  try {
    await untilReady(child, managementPort, logFile);
  } catch (error) {
    await stopped(child);
    throw error;
  }
  return {
    url,
    token,
    logFile,
    managementPort,
    enforces: (version) =>
      until(`enforcing version ${version}`, 60_000, async () => {
        const { body } = await call(`${url}/v1/evaluate/bundle`, { token });
        return at(body, "bundle", "version") === version ? true : undefined;
      }),
    stop: () => stopped(child),
  };
}
