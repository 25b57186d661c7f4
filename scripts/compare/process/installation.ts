// `npm start` of a checkout on a data folder, with its first organization.

import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Checkout } from "./checkout.ts";
import { freePorts } from "./free-port.ts";
import { remembered, stopped, untilReady } from "./running.ts";

/** What the first start wrote into the data folder. */
export interface FirstFacts {
  readonly base_url: string;
  readonly runtime_url: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly admin_token: string;
  readonly ci_token: string;
  readonly runtime_token: string;
}

/** A running installation. */
export interface Installation {
  readonly checkout: Checkout;
  readonly dataFolder: string;
  readonly facts: FirstFacts;
  /** The URL of everything of the organization. */
  readonly orgUrl: string;
  /** Management ports by the name of the process. */
  readonly managementPorts: Readonly<Record<"control-plane" | "worker" | "runtime", number>>;
  stop(): Promise<void>;
}

/** Starts an installation on a data folder, empty or not. */
export async function startInstallation(checkout: Checkout, dataFolder: string): Promise<Installation> {
  mkdirSync(dataFolder, { recursive: true });
  const [port = 0, runtimePort = 0, management = 0, runtimeManagement = 0, worker = 0] = await freePorts(5);
  const logFile = `${dataFolder}.log`;
  const child = remembered(
    checkout.start("start", {
      logFile,
      env: {
        POLICY_GUARD_DATA: dataFolder,
        PORT: String(port),
        RUNTIME_PORT: String(runtimePort),
        MANAGEMENT_PORT: String(management),
        RUNTIME_MANAGEMENT_PORT: String(runtimeManagement),
        WORKER_MANAGEMENT_PORT: String(worker),
      },
    }),
  );
  try {
    await untilReady(child, runtimeManagement, logFile);
  } catch (error) {
    await stopped(child);
    throw error;
  }
  const facts: FirstFacts = JSON.parse(readFileSync(join(dataFolder, "bootstrap.json"), "utf8"));
  return {
    checkout,
    dataFolder,
    facts,
    orgUrl: `${facts.base_url}/v1/orgs/${facts.org_id}`,
    managementPorts: { "control-plane": management, worker, runtime: runtimeManagement },
    stop: () => stopped(child),
  };
}
