// The enrolment holds what the control plane tells a runtime about itself. It is kept on disk, so that a runtime starts
// while the control plane is away. The first enrolment pins the keys that sign bundles. A later one may add keys and
// retire some; one that shares no key with the pinned ones is refused.

import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { create, fromJsonString, toJsonString } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { type Statement, StatementSchema } from "../../gen/policyguard/bundle/v1/bundle_pb.ts";
import {
  type EnrolResponse,
  EnrolResponseSchema,
  type ReportingService,
  type TokenDigest,
} from "../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { type KeySetPayload, readKeySet } from "../../src/kit/bundle/statement-payload.ts";
import { type PublicJwk, publicJwkOf, type TrustedKeys, trustKeys } from "../../src/kit/crypto/signing-key.ts";
import type { SignedStatement } from "../../src/kit/crypto/statement.ts";
import { isUuid } from "../../src/kit/process/id.ts";
import type { BundleScope } from "../bundle/activation.ts";
import { followKeySet, rootOf, type TrustRoot, without } from "../bundle/key-set.ts";
import { runtimeVersion } from "../bundle/version.ts";
import { DurableFile, type DurableFileOptions, replaceFile } from "./durable-file.ts";

const fileName = "enrolment.json";
const revokedFileName = "revoked-keys.json";
const instanceFileName = "instance-id";

/** The content of an enrolment. */
export interface Enrolled {
  readonly scope: BundleScope;
  readonly trust: TrustedKeys;
  /** The same keys, and the known revocations. */
  readonly root: TrustRoot;
  readonly tokens: readonly TokenDigest[];
  readonly fingerprintKey: Uint8Array;
  /** Keys of the organization's log of evidence; none before its first checkpoint. */
  readonly logKeys: readonly PublicJwk[];
}

/**
 * Keeps the enrolment of one data folder. A change is in force even if the disk refuses it: a revoked token stays
 * revoked on a full disk.
 */
export class Enrolment {
  readonly instanceId: string;
  readonly #file: DurableFile;
  readonly #revokedFile: DurableFile;
  #message: EnrolResponse | undefined;
  #enrolled: Enrolled | undefined;
  /** Keys that were named as revoked once. In a database that was restored to before that, they live again. */
  #revoked: ReadonlySet<string>;
  #isRepinned: boolean;

  /**
   * With `isRepinned`, the next enrolment pins the signing keys anew, but for those that are known as revoked. Until
   * then those that were pinned count.
   */
  constructor(
    folder: string,
    { isRepinned = false, ...options }: DurableFileOptions & { readonly isRepinned?: boolean } = {},
  ) {
    this.#isRepinned = isRepinned;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.instanceId = instanceIdOf(new DurableFile(join(folder, instanceFileName)));
    this.#file = new DurableFile(join(folder, fileName), options);
    this.#revokedFile = new DurableFile(join(folder, revokedFileName), options);
    this.#revoked = readRevoked(this.#revokedFile);
    const kept = this.#file.read();
    if (kept !== undefined) this.#take(readMessage(kept, this.#file.path));
  }

  /** The enrolment; undefined before the first one. */
  get current(): Enrolled | undefined {
    return this.#enrolled;
  }

  /**
   * Enrols again and keeps the answer. Throws the error of the call, or an error when the answer does not fit the
   * pinned keys and scope.
   */
  async renew(client: Client<typeof ReportingService>, signal: AbortSignal): Promise<Enrolled> {
    const request = { instanceId: this.instanceId, softwareVersion: runtimeVersion };
    const message = await client.enrol(request, { signal, timeoutMs: 10_000 });
    assertFits(this.#enrolled, message);
    const pinned = this.#isRepinned ? undefined : this.#enrolled;
    if (message.keySet === undefined) assertKnown(pinned, message);
    else await this.#follow(pinned, message, message.keySet);
    this.#isRepinned = false;
    const enrolled = this.#take(message);
    this.#save();
    return enrolled;
  }

  /**
   * Adopts a key set that a trusted key signed, if it is newer. Throws a BundleRejection when no trusted key signed it.
   */
  async takeKeySet(keySet: SignedStatement): Promise<void> {
    const [message, pinned] = [this.#message, this.#enrolled];
    if (message === undefined || pinned === undefined) return;
    const next = await followKeySet(pinned.root, keySet, message.orgId);
    if (next === pinned.root) return;
    this.#take({ ...message, keySet: statementOf(keySet) });
    this.#save();
  }

  /** The key set of an answer must be signed by a trusted key; the first one by the keys beside it. */
  async #follow(pinned: Enrolled | undefined, message: EnrolResponse, keySet: Statement): Promise<void> {
    const first = () => without({ trust: trustKeys(message.keys), serial: 0, revoked: new Set() }, this.#revoked);
    const root = pinned?.root ?? first();
    const next = await followKeySet(root, keySet, message.orgId).catch((cause: unknown) => {
      throw new Error("none of the signing keys that this runtime has pinned vouches for those of the control plane", {
        cause,
      });
    });
    // The set is older than the known one: the control plane was restored from a backup, or the answer is forged.
    if (next === root && pinned !== undefined && this.#message?.keySet !== undefined)
      message.keySet = this.#message.keySet;
  }

  /** Replaces the list of live tokens. */
  replaceTokens(tokens: readonly TokenDigest[]): void {
    if (this.#message === undefined) return;
    this.#take({ ...this.#message, tokens: [...tokens] });
    this.#save();
  }

  /** Ends the retries of a write that the disk refused. */
  close(): void {
    this.#file.close();
    this.#revokedFile.close();
  }

  #take(message: EnrolResponse): Enrolled {
    const { orgId, projectId, environment, tokens } = message;
    // The object stays the same as long as the key does: values that are derived from it are cached by the object.
    const known = this.#enrolled?.fingerprintKey;
    const isKnown = known !== undefined && Buffer.compare(known, message.fingerprintKey) === 0;
    const fingerprintKey = isKnown ? known : message.fingerprintKey;
    const root = without(believedRoot(message), this.#revoked);
    this.#message = message;
    this.#revoked = root.revoked;
    const scope = { orgId, projectId, environment };
    this.#enrolled = { scope, trust: root.trust, root, tokens, fingerprintKey, logKeys: logKeysOf(message) };
    return this.#enrolled;
  }

  // The revoked keys first: after a crash between the two, none of them is trusted.
  #save(): void {
    if (this.#revoked.size > 0) this.#revokedFile.keep(JSON.stringify([...this.#revoked]));
    if (this.#message !== undefined) this.#file.keep(toJsonString(EnrolResponseSchema, this.#message));
  }
}

function assertFits(pinned: Enrolled | undefined, { orgId, projectId, environment }: EnrolResponse): void {
  if (pinned === undefined) return;
  const { scope } = pinned;
  if (scope.orgId !== orgId || scope.projectId !== projectId || scope.environment !== environment) {
    throw new Error(
      `the token is for ${projectId}/${environment}, and this data folder belongs to ${scope.projectId}/` +
        `${scope.environment}; give each runtime scope its own folder`,
    );
  }
}

// A control plane of an earlier release sends no key set.
function assertKnown(pinned: Enrolled | undefined, { keys }: EnrolResponse): void {
  if (pinned === undefined || keys.some(({ kid }) => pinned.trust.has(kid))) return;
  throw new Error("the control plane offers none of the signing keys that this runtime has pinned");
}

/**
 * The keys that the message makes the runtime trust. It was verified before it was kept, and the file is the runtime's
 * own.
 */
function believedRoot({ keys, keySet }: EnrolResponse): TrustRoot {
  if (keySet === undefined) return { trust: trustKeys(keys), serial: 0, revoked: new Set() };
  return rootOf(payloadOf(keySet));
}

function logKeysOf({ keySet }: EnrolResponse): PublicJwk[] {
  const { log_keys: keys = [] } = keySet === undefined ? {} : payloadOf(keySet);
  return keys.filter(({ state }) => state !== "revoked").map(({ x }) => publicJwkOf(x));
}

function payloadOf({ payload }: Statement): KeySetPayload {
  return readKeySet(JSON.parse(Buffer.from(payload, "base64url").toString("utf8")));
}

function statementOf({ payload, signatures }: SignedStatement): Statement {
  return create(StatementSchema, { payload, signatures: signatures.map((signature) => ({ ...signature })) });
}

// Damage is not ignored here either: it would make revoked keys trusted.
function readRevoked(file: DurableFile): ReadonlySet<string> {
  const text = file.read();
  if (text === undefined) return new Set();
  try {
    return new Set(JSON.parse(text).map(String));
  } catch (cause) {
    throw new Error(`${file.path} is damaged; remove it to forget which signing keys were revoked`, { cause });
  }
}

function instanceIdOf(file: DurableFile): string {
  const kept = file.read()?.trim();
  // The control plane would refuse any other form at each connection.
  if (kept !== undefined && isUuid(kept)) return kept;
  const made = randomUUID();
  replaceFile(file.path, `${made}\n`);
  return made;
}

// Damage is not ignored: the pinned keys decide which bundles are trusted.
function readMessage(text: string, path: string): EnrolResponse {
  try {
    return fromJsonString(EnrolResponseSchema, text);
  } catch (cause) {
    throw new Error(
      `${path} is damaged; remove it to enrol again and to trust the signing keys that the control plane then names`,
      { cause },
    );
  }
}
