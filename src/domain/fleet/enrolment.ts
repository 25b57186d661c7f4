// Enrols a runtime: it gets the signing keys to trust, the tokens that its callers may use, and the organization's key
// for fingerprints.

import { notFound } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Sealer } from "../../platform/seal.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { type InstanceStatus, touchInstance, writeInstanceStatus } from "../../store/fleet/runtime-instance.ts";
import { type LiveToken, listLiveTokens } from "../../store/identity/token.ts";
import { shareEnvironment } from "../../store/project/environment.ts";
import type { PublishedKeys } from "../bundle/signing-keys.ts";
import { organizationKey } from "../organization-key.ts";
import { maxBackends } from "../policy/detector-backend.ts";
import type { IngestSource } from "./ingest.ts";

const secretName = "fingerprint_key";

/** The answer to a runtime that enrols. */
export interface Enrolled {
  readonly keys: PublishedKeys;
  readonly tokens: readonly LiveToken[];
  readonly fingerprintKey: Uint8Array;
}

/** What the service is built from. */
export interface EnrolmentParts {
  readonly database: Database;
  readonly sealer: Sealer;
  /** The public keys that may sign the organization's bundles. */
  readonly publishedKeys: (orgId: string) => Promise<PublishedKeys>;
}

/** Enrols runtimes and records their state. */
export class Enrolment {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #publishedKeys: EnrolmentParts["publishedKeys"];

  constructor({ database, sealer, publishedKeys }: EnrolmentParts) {
    this.#database = database;
    this.#sealer = sealer;
    this.#publishedKeys = publishedKeys;
  }

  /** Enrols a runtime. */
  async enrol(source: IngestSource, softwareVersion: string): Promise<Enrolled> {
    const keys = await this.#publishedKeys(source.orgId);
    return this.#database.systemTransaction(source.orgId, async (tx) => {
      await noteInstance(tx, source, softwareVersion);
      return {
        keys,
        tokens: await listLiveTokens(tx),
        fingerprintKey: await organizationKey(tx, this.#sealer, secretName),
      };
    });
  }

  /** Records that a runtime exists. */
  greet(source: IngestSource, softwareVersion: string): Promise<void> {
    return this.#database.systemTransaction(source.orgId, (tx) => noteInstance(tx, source, softwareVersion));
  }

  /** Records the status of a runtime. One that was forgotten is added again. */
  noteStatus(source: IngestSource, softwareVersion: string, status: InstanceStatus): Promise<void> {
    const { rejection, refusedBackends, labels } = status;
    const noted = {
      ...status,
      rejection: storable(rejection),
      refusedBackends: refusedBackends.slice(0, maxBackends).map(storable),
      labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [key, storable(value)])),
    };
    return this.#database.systemTransaction(source.orgId, async (tx) => {
      if (await writeInstanceStatus(tx, source, noted)) return;
      await noteInstance(tx, source, softwareVersion);
      await writeInstanceStatus(tx, source, noted);
    });
  }
}

/** The source of reports with a runtime token. */
export function sourceOf({ orgId, credential }: Caller, instanceId: string): IngestSource {
  const { projectId, environment } = credential;
  if (projectId === undefined || environment === undefined) {
    throw new Error("a runtime token has a project and an environment");
  }
  return { orgId, projectId, environment, instanceId };
}

async function noteInstance(tx: Transaction, source: IngestSource, softwareVersion: string): Promise<void> {
  if (!(await shareEnvironment(tx, source.projectId, source.environment))) throw notFound("environment");
  await touchInstance(tx, source, storable(softwareVersion));
}

// PostgreSQL has no text with NUL in it, and a longer one is of no use.
function storable(text: string): string {
  return text.replaceAll("\0", "").slice(0, 2_000);
}
