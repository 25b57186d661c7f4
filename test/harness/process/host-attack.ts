// Attacks on a runtime's bundle that need more than one answer: by time, by the disk, and by what a bundle costs.
// docs/bundles.md has the same list.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect } from "vitest";
import { BundleBuilder } from "../../../runtime/bundle/builder.ts";
import type { RejectionReason } from "../../../runtime/bundle/rejection.ts";
import { eventually } from "../eventually.ts";
import type { MovedClock } from "../moved-clock.ts";
import type { Installation } from "./installation.ts";
import type { TestRuntime, TestRuntimeOptions } from "./runtime.ts";
import type { TamperingProxy } from "./tampering-proxy.ts";

/** A runtime that is attacked. */
export interface AttackedHost {
  readonly home: Installation;
  /** Between the runtime and its control plane. */
  readonly proxy: TamperingProxy;
  readonly clock: MovedClock;
  readonly folder: string;
  /** The header by which a 304 vouches for the bundle in force. */
  readonly activation: () => string;
  /** Ends the runtime, lets `between` happen, and starts it again on the same folder. */
  readonly restart: (between: () => void) => Promise<TestRuntime>;
}

/** An attack, and the reason by which it is refused. */
export interface HostAttack {
  readonly name: string;
  readonly reason: RejectionReason;
  /** Whether nothing is left that could be enforced: what was in force is itself what is refused. */
  readonly isBare?: boolean;
  /** What is special about the runtime. */
  readonly options?: Partial<TestRuntimeOptions>;
  /** Attacks. */
  readonly strike: (host: AttackedHost) => Promise<unknown>;
}

const day = 86_400_000;
const bundleFile = (folder: string) => join(folder, "bundle", "bundle.json");
const ratchetFile = (folder: string) => join(folder, "bundle", "ratchet.json");

/** Every attack on a host. */
export const hostAttacks: readonly HostAttack[] = [
  {
    name: "mirror that stays frozen until the activation has expired",
    reason: "expired",
    strike: async ({ home, proxy, clock, activation }) => {
      const frozen = activation();
      proxy.tamper = (answer) =>
        void Object.assign(answer, { notModified: true, bundle: undefined, activation: frozen });
      clock.pass(8 * day);
      await home.publish();
    },
  },
  {
    name: "clock of the runtime two days behind",
    reason: "not_yet_valid",
    strike: async ({ home, clock }) => {
      clock.pass(-2 * day);
      await home.publish();
    },
  },
  {
    name: "bundle on disk changed",
    reason: "digest_mismatch",
    isBare: true,
    strike: ({ proxy, folder, restart }) =>
      restart(() => {
        proxy.tamper = noAnswer;
        const file = bundleFile(folder);
        writeFileSync(file, readFileSync(file, "utf8").replace(/"data":"./, '"data":"A'));
      }),
  },
  {
    name: "bundle on disk cut short",
    reason: "malformed",
    isBare: true,
    strike: ({ proxy, folder, restart }) =>
      restart(() => {
        proxy.tamper = noAnswer;
        const bytes = readFileSync(bundleFile(folder));
        writeFileSync(bundleFile(folder), bytes.subarray(0, bytes.length / 2));
      }),
  },
  {
    name: "older bundle put back on disk",
    reason: "replayed_sequence",
    isBare: true,
    strike: async ({ home, proxy, folder, restart }) => {
      const [older, before] = [readFileSync(bundleFile(folder)), readFileSync(ratchetFile(folder))];
      await home.publish();
      await eventually(() => expect(readFileSync(ratchetFile(folder))).not.toEqual(before));
      await restart(() => {
        proxy.tamper = noAnswer;
        writeFileSync(bundleFile(folder), older);
      });
    },
  },
  {
    name: "disk that takes no new bundle",
    reason: "not_adopted",
    strike: async ({ home, folder }) => {
      // A folder in the way of the file: opening it for writing fails as a full disk would. A runtime that
      // has just started may be writing the file at this moment.
      await eventually(() => mkdirSync(`${bundleFile(folder)}.new/x`, { recursive: true }));
      await home.publish();
    },
  },
  {
    name: "bundle that takes longer to build than a runtime waits",
    reason: "build_failed",
    options: { builder: new BundleBuilder({ timeoutMs: 1 }) },
    strike: ({ home }) => home.publish(),
  },
];

function noAnswer(): never {
  throw new ConnectError("the control plane is away", Code.Unavailable);
}
