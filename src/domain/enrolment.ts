// What a runtime needs before it can work: whom it may trust, which tokens its callers may use, and the organization's key
// for fingerprints.

import { randomBytes } from "node:crypto";
import type { Caller } from "../kit/context.ts";
import { notFound } from "../kit/error.ts";
import type { SealBinding, Sealer } from "../kit/seal.ts";
import type { Database, Transaction } from "../store/database.ts";
import { shareEnvironment } from "../store/environment.ts";
import { keepSecret, readSecret } from "../store/organization-secret.ts";
import { type InstanceStatus, touchInstance, writeInstanceStatus } from "../store/runtime-instance.ts";
import { type LiveToken, listLiveTokens } from "../store/token.ts";
import type { IngestSource } from "./ingest.ts";
import type { PublishedKeys } from "./signing-keys.ts";

const secretName = "fingerprint_key";
const keyBytes = 32;

/** What a runtime learns when it introduces itself. */
export interface Enrolled {
  readonly keys: PublishedKeys;
  readonly tokens: readonly LiveToken[];
  readonly fingerprintKey: Uint8Array;
}

/** What enrolment works with. */
export interface EnrolmentParts {
  readonly database: Database;
  readonly sealer: Sealer;
  /** The public keys that may sign the organization's bundles. */
  readonly publishedKeys: (orgId: string) => Promise<PublishedKeys>;
}

/** Introduces runtimes and keeps book of them. */
export class Enrolment {
  readonly #database: Database;
  readonly #sealer: Sealer;
  readonly #publishedKeys: EnrolmentParts["publishedKeys"];

  constructor({ database, sealer, publishedKeys }: EnrolmentParts) {
    this.#database = database;
    this.#sealer = sealer;
    this.#publishedKeys = publishedKeys;
  }

  /** Introduces a runtime. */
  async enrol(source: IngestSource, softwareVersion: string): Promise<Enrolled> {
    const keys = await this.#publishedKeys(source.orgId);
    return this.#database.systemTransaction(source.orgId, async (tx) => {
      await noteInstance(tx, source, softwareVersion);
      return { keys, tokens: await listLiveTokens(tx), fingerprintKey: await this.#fingerprintKey(tx) };
    });
  }

  /** Notes that a runtime is there. */
  greet(source: IngestSource, softwareVersion: string): Promise<void> {
    return this.#database.systemTransaction(source.orgId, (tx) => noteInstance(tx, source, softwareVersion));
  }

  /** Notes how a runtime stands. One that was forgotten is introduced again. */
  noteStatus(source: IngestSource, softwareVersion: string, status: InstanceStatus): Promise<void> {
    const noted = { ...status, rejection: storable(status.rejection) };
    return this.#database.systemTransaction(source.orgId, async (tx) => {
      if (await writeInstanceStatus(tx, source, noted)) return;
      await noteInstance(tx, source, softwareVersion);
      await writeInstanceStatus(tx, source, noted);
    });
  }

  // Made when the first runtime asks. Of two that ask at the same time, both get the one that was stored.
  async #fingerprintKey(tx: Transaction): Promise<Uint8Array> {
    const binding = organizationSecretBinding(tx.orgId, secretName);
    const sealed =
      (await readSecret(tx, secretName)) ??
      (await keepSecret(tx, secretName, this.#sealer.seal(randomBytes(keyBytes), binding)));
    return this.#sealer.open(sealed, binding);
  }
}

/** What a secret is sealed for of which an organization has one. */
export function organizationSecretBinding(orgId: string, name: string): SealBinding {
  return { purpose: `organization.${name}`, orgId, rowId: name };
}

/** Whom a runtime token speaks for. */
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

// PostgreSQL has no text with NUL in it, and nobody reads more than this.
function storable(text: string): string {
  return text.replaceAll("\0", "").slice(0, 2_000);
}
