// A control plane or a runtime of a fleet in this process, which costs a tenth of a process of its own: it can be drained
// and started again, and neither killed nor stopped.

import type { TestDatabase } from "../database.ts";
import { startTestControlPlane } from "./control-plane.ts";
import { type FleetMember, type MemberOptions, untilReady } from "./fleet-member.ts";
import { startTestRuntime } from "./runtime.ts";

/** A member in this process. */
export class LocalMember implements FleetMember {
  readonly name: string;
  readonly kind: MemberOptions["kind"];
  readonly port: number;
  readonly managementPort: number;
  readonly #env: Readonly<Record<string, string>>;
  readonly #urls: TestDatabase;
  #end: (() => Promise<void>) | undefined;

  constructor({ name, kind, port, managementPort, env }: MemberOptions, urls: TestDatabase) {
    this.name = name;
    this.kind = kind;
    this.port = port;
    this.managementPort = managementPort;
    this.#env = env;
    this.#urls = urls;
  }

  async start(): Promise<void> {
    const env = this.#env;
    if (this.kind === "control plane") {
      const plane = await startTestControlPlane({ urls: this.#urls, env });
      this.#end = () => plane.stop();
      return;
    }
    const { POLICY_GUARD_URL: url = "", POLICY_GUARD_TOKEN: token = "", POLICY_GUARD_DATA: folder = "" } = env;
    const runtime = await startTestRuntime({ url, token, folder, env });
    this.#end = () => runtime.stop();
  }

  async drain(): Promise<undefined> {
    await this.stop();
  }

  kill(): Promise<void> {
    throw new Error("what is in this process cannot be killed");
  }

  freeze(): () => void {
    throw new Error("what is in this process cannot be stopped");
  }

  ready(): Promise<void> {
    return untilReady(this);
  }

  async stop(): Promise<void> {
    await this.#end?.();
    this.#end = undefined;
  }
}
