// Detector backends: where an organization's own detectors are and how to talk to them. Only runtimes call them. Secrets are not kept
// here, since nothing here could use them: each runtime reads them from a file of its own.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import type { BackendShape } from "../../runtime/engine/backend.ts";
import type { PolicySource } from "../../runtime/engine/compiled-policy.ts";
import { catalog } from "../../runtime/engine/detectors/catalog.ts";
import type { PolicyDocument } from "../../runtime/engine/policy/document.ts";
import { noPacks } from "../../runtime/engine/policy/extend.ts";
import { layersOf } from "../../runtime/engine/policy/parse.ts";
import { backendOf } from "../../runtime/engine/policy/reference.ts";
import type { Caller } from "../kit/context.ts";
import { Fault, notFound, validationFailed } from "../kit/error.ts";
import type { Page } from "../kit/page.ts";
import type { Database, Transaction } from "../store/database.ts";
import {
  countDetectorBackends,
  DetectorBackendRow,
  deleteDetectorBackend,
  findDetectorBackend,
  listDetectorBackends,
} from "../store/detector-backend.ts";
import { policyInvalid } from "./policy-document.ts";

/** A backend as it is set. */
export interface BackendInput {
  readonly key: string;
  readonly url: string;
  readonly shape: BackendShape;
  readonly timeoutMs?: number | undefined;
  readonly authHeader?: string | undefined;
}

const maxBackends = 100;
const defaultTimeoutMs = 200;
/** Headers that belong to the connection or to the call itself. */
const ownHeaders = new Set([
  "host",
  "connection",
  "content-length",
  "content-type",
  "transfer-encoding",
  "upgrade",
  "te",
]);

/** Sets, lists and deletes detector backends. */
export class DetectorBackends {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A page of the backends. */
  list(caller: Caller, page: Page): Promise<[DetectorBackendRow[], number]> {
    return this.#database.read(caller.orgId, (tx) => listDetectorBackends(tx, page));
  }

  /** The backend. */
  get(caller: Caller, key: string): Promise<DetectorBackendRow> {
    return this.#database.read(caller.orgId, async (tx) => required(await findDetectorBackend(tx, key)));
  }

  /** Sets the backend, whether or not there is one with this key. */
  put(caller: Caller, input: BackendInput): Promise<DetectorBackendRow> {
    assertUsable(input);
    return this.#database.transaction(caller, async (tx) => {
      // Counting also makes those who set a key at the same time wait for each other.
      const count = await countDetectorBackends(tx);
      const known = await findDetectorBackend(tx, input.key);
      const before = known === null ? null : auditView(known);
      const row =
        known === null ? add(tx, input, count) : Object.assign(known, settingsOf(input), { updatedAt: tx.now });
      tx.changed({ resource: `detector_backend/${row.key}`, before, after: auditView(row) });
      return row;
    });
  }

  /** Deletes the backend. Bundles that contain it keep it. */
  delete(caller: Caller, key: string): Promise<void> {
    return this.#database.transaction(caller, async (tx) => {
      const row = required(await findDetectorBackend(tx, key));
      tx.changed({ resource: `detector_backend/${key}`, before: auditView(row), after: null });
      await deleteDetectorBackend(tx, key);
    });
  }
}

/** The backends that the policies name. A policy that names one that nobody set is a 422. */
export function neededBackends(
  policies: readonly PolicySource[],
  backends: readonly DetectorBackendRow[],
): DetectorBackendRow[] {
  const needed = new Set<string>();
  const problems = policies.flatMap((policy) => {
    const keys = namedBackends(policy);
    for (const key of keys) needed.add(key);
    const missing = [...keys].filter((key) => !backends.some((backend) => backend.key === key));
    return missing.map((key) => ({
      ...{ line: 0, column: 0, path: "detectors", severity: "error" as const },
      message: `policy "${policy.name}" names the detector backend "${key}", which nobody set`,
      suggestion: `set it at /v1/orgs/{org_id}/detector-backends/${key}`,
    }));
  });
  if (problems.length > 0) throw policyInvalid(problems);
  return backends.filter(({ key }) => needed.has(key));
}

/** A backend as a bundle carries it. */
export function backendPart({ key, url, shape, timeoutMs, authHeader }: DetectorBackendRow): JsonObject {
  return { key, url, shape, timeout_ms: timeoutMs, auth_header: authHeader ?? null };
}

function namedBackends({ document, packs = noPacks }: PolicySource): Set<string> {
  const policy = document as unknown as PolicyDocument; // it was valid when it was stored
  const documents = [policy, ...layersOf(policy, catalog, packs).map((layer) => layer.document)];
  const uses = documents.flatMap(({ detectors = {} }) => Object.values(detectors));
  return new Set(uses.flatMap((use) => backendOf(use)?.key ?? []));
}

function add(tx: Transaction, input: BackendInput, count: number): DetectorBackendRow {
  if (count >= maxBackends)
    throw new Fault(Reason.LIMIT_REACHED, `an organization has at most ${maxBackends} detector backends`, {
      extra: { limit: maxBackends },
    });
  return tx.em.create(DetectorBackendRow, {
    ...{ orgId: tx.orgId, key: input.key, createdAt: tx.now, updatedAt: tx.now },
    ...settingsOf(input),
  });
}

function settingsOf({ url, shape, timeoutMs = defaultTimeoutMs, authHeader }: BackendInput) {
  return { url, shape, timeoutMs, authHeader: authHeader ?? null };
}

function assertUsable({ url, authHeader }: BackendInput): void {
  const parsed = URL.parse(url);
  if (parsed === null || !["http:", "https:"].includes(parsed.protocol))
    throw validationFailed([{ field: "url", message: "expected an address that begins with http:// or https://" }]);
  if (parsed.username !== "" || parsed.password !== "" || parsed.hash !== "")
    throw validationFailed([{ field: "url", message: "expected neither credentials nor a fragment" }]);
  if (authHeader !== undefined && ownHeaders.has(authHeader.toLowerCase()))
    throw validationFailed([{ field: "auth_header", message: "this header belongs to the call itself" }]);
}

function required(row: DetectorBackendRow | null): DetectorBackendRow {
  if (row === null) throw notFound("detector backend");
  return row;
}

function auditView({ key, url, shape, timeoutMs, authHeader }: DetectorBackendRow): JsonObject {
  return { key, url, shape, timeout_ms: timeoutMs, auth_header: authHeader ?? null };
}
