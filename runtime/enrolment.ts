// Enrolment: what the control plane tells a runtime about itself. It is kept on disk, so that a runtime starts while the
// control plane is away. The keys that sign bundles are pinned by the first enrolment: a later one may add keys to them
// and retire some, and one that shares no key with those pinned is refused.

import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { create, fromJsonString, toJsonString } from "@bufbuild/protobuf";
import type { Client } from "@connectrpc/connect";
import { type Statement, StatementSchema } from "../gen/policyguard/bundle/v1/bundle_pb.ts";
import {
  type EnrolResponse,
  EnrolResponseSchema,
  type ReportingService,
  type TokenDigest,
} from "../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import { isUuid } from "../src/kit/id.ts";
import { type TrustedKeys, trustKeys } from "../src/kit/signing-key.ts";
import type { SignedStatement } from "../src/kit/statement.ts";
import { readKeySet } from "../src/kit/statement-payload.ts";
import type { BundleScope } from "./bundle/activation.ts";
import { followKeySet, rootOf, type TrustRoot } from "./bundle/key-set.ts";
import { KeptFile, type KeptFileOptions, replaceFile } from "./kept-file.ts";
import { runtimeVersion } from "./version.ts";

const fileName = "enrolment.json";
const instanceFileName = "instance-id";

/** What an enrolled runtime knows. */
export interface Enrolled {
  readonly scope: BundleScope;
  readonly trust: TrustedKeys;
  /** The same with what is known of revocations. */
  readonly root: TrustRoot;
  readonly tokens: readonly TokenDigest[];
  readonly fingerprintKey: Uint8Array;
}

/** Keeps the enrolment of one data folder. What the disk refuses holds all the same: a revoked token is revoked, whether or not there is room. */
export class Enrolment {
  readonly instanceId: string;
  readonly #file: KeptFile;
  #message: EnrolResponse | undefined;
  #enrolled: Enrolled | undefined;

  constructor(folder: string, options?: KeptFileOptions) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.instanceId = instanceIdOf(new KeptFile(join(folder, instanceFileName)));
    this.#file = new KeptFile(join(folder, fileName), options);
    const kept = this.#file.read();
    if (kept !== undefined) this.#take(readMessage(kept, this.#file.path));
  }

  /** What is known; undefined before the first enrolment. */
  get current(): Enrolled | undefined {
    return this.#enrolled;
  }

  /** Enrols anew and keeps the answer. Throws what the call throws, or when the answer does not fit what is pinned. */
  async renew(client: Client<typeof ReportingService>, signal: AbortSignal): Promise<Enrolled> {
    const request = { instanceId: this.instanceId, softwareVersion: runtimeVersion };
    const message = await client.enrol(request, { signal, timeoutMs: 10_000 });
    const pinned = this.#enrolled;
    assertFits(pinned, message);
    if (message.keySet === undefined) assertKnown(pinned, message);
    else await this.#follow(pinned, message, message.keySet);
    const enrolled = this.#take(message);
    this.#save();
    return enrolled;
  }

  /** Takes over a key set that a trusted key signed, if it is newer. Throws a BundleRejection when nobody trusted did. */
  async takeKeySet(keySet: SignedStatement): Promise<void> {
    const [message, pinned] = [this.#message, this.#enrolled];
    if (message === undefined || pinned === undefined) return;
    const next = await followKeySet(pinned.root, keySet, message.orgId);
    if (next === pinned.root) return;
    this.#take({ ...message, keySet: statementOf(keySet) });
    this.#save();
  }

  /** A set of an answer: signed by whom the runtime trusts already or, the first time, by the keys beside it. */
  async #follow(pinned: Enrolled | undefined, message: EnrolResponse, keySet: Statement): Promise<void> {
    const first = () => ({ trust: trustKeys(message.keys), serial: 0, revoked: new Set<string>() });
    const root = pinned?.root ?? first();
    const next = await followKeySet(root, keySet, message.orgId).catch((cause: unknown) => {
      throw new Error("none of the signing keys that this runtime has pinned vouches for those of the control plane", {
        cause,
      });
    });
    // An older set than the known one: the answer of a control plane that was restored, or of somebody else.
    if (next === root && pinned !== undefined && this.#message?.keySet !== undefined)
      message.keySet = this.#message.keySet;
  }

  /** Takes over the list of live tokens. */
  replaceTokens(tokens: readonly TokenDigest[]): void {
    if (this.#message === undefined) return;
    this.#take({ ...this.#message, tokens: [...tokens] });
    this.#save();
  }

  /** Ends the tries to write what the disk refused. */
  close(): void {
    this.#file.close();
  }

  #take(message: EnrolResponse): Enrolled {
    const { orgId, projectId, environment, tokens } = message;
    // The same object as long as it is the same key: what is made of it is kept by the object.
    const known = this.#enrolled?.fingerprintKey;
    const isKnown = known !== undefined && Buffer.compare(known, message.fingerprintKey) === 0;
    const fingerprintKey = isKnown ? known : message.fingerprintKey;
    this.#message = message;
    const root = believedRoot(message);
    this.#enrolled = { scope: { orgId, projectId, environment }, trust: root.trust, root, tokens, fingerprintKey };
    return this.#enrolled;
  }

  #save(): void {
    if (this.#message !== undefined) this.#file.keep(toJsonString(EnrolResponseSchema, this.#message));
  }
}

function assertFits(pinned: Enrolled | undefined, { orgId, projectId, environment }: EnrolResponse): void {
  if (pinned === undefined) return;
  const { scope } = pinned;
  if (scope.orgId !== orgId || scope.projectId !== projectId || scope.environment !== environment) {
    throw new Error(
      `the token is for ${projectId}/${environment}, and this data folder belongs to ${scope.projectId}/` +
        `${scope.environment}; give each runtime scope a folder of its own`,
    );
  }
}

// A control plane of an earlier release sends no key set.
function assertKnown(pinned: Enrolled | undefined, { keys }: EnrolResponse): void {
  if (pinned === undefined || keys.some(({ kid }) => pinned.trust.has(kid))) return;
  throw new Error("the control plane offers none of the signing keys that this runtime has pinned");
}

/** Whom the message makes the runtime believe. It was verified before it was kept, and the file is the runtime's own. */
function believedRoot({ keys, keySet }: EnrolResponse): TrustRoot {
  if (keySet === undefined) return { trust: trustKeys(keys), serial: 0, revoked: new Set() };
  return rootOf(readKeySet(JSON.parse(Buffer.from(keySet.payload, "base64url").toString("utf8"))));
}

function statementOf({ payload, signatures }: SignedStatement): Statement {
  return create(StatementSchema, { payload, signatures: signatures.map((signature) => ({ ...signature })) });
}

function instanceIdOf(file: KeptFile): string {
  const kept = file.read()?.trim();
  // Anything else the control plane would refuse, at each connection.
  if (kept !== undefined && isUuid(kept)) return kept;
  const made = randomUUID();
  replaceFile(file.path, `${made}\n`);
  return made;
}

// Not passed over: the keys that it pins are what bundles are believed by.
function readMessage(text: string, path: string): EnrolResponse {
  try {
    return fromJsonString(EnrolResponseSchema, text);
  } catch (cause) {
    throw new Error(
      `${path} is damaged; remove it to enrol anew, with whichever signing keys the control plane then names`,
      { cause },
    );
  }
}
