// Detector backends: addresses and protocols of an organization's own detectors. Only runtimes call them. Their secrets
// are not stored here, since the control plane does not need them: each runtime reads them from a file of its own.

import type { JsonObject } from "@bufbuild/protobuf";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import {
  type BackendShape,
  isCallHeader,
  needsQuestions,
  shapesWithModel,
  shapesWithModelText,
} from "../../../runtime/engine/backend/backend.ts";
import type { Preset } from "../../../runtime/engine/backend/preset.ts";
import { presetOf } from "../../../runtime/engine/backend/preset-catalog.ts";
import { Fault, notFound, validationFailed } from "../../kit/fault/fault.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import type { Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import {
  countDetectorBackends,
  DetectorBackendRow,
  deleteDetectorBackend,
  findDetectorBackend,
  listDetectorBackends,
} from "../../store/policy/detector-backend.ts";
import { isUnchanged } from "../unchanged.ts";

/** A backend as it is set. */
export interface BackendInput {
  readonly key: string;
  readonly url: string;
  readonly shape: BackendShape;
  readonly timeoutMs?: number | undefined;
  readonly authHeader?: string | undefined;
  readonly digest?: string | undefined;
  /** The name of a preset. */
  readonly preset?: string | undefined;
  readonly model?: string | undefined;
}

/** Backends of one organization. */
export const maxBackends = 100;
const defaultTimeoutMs = 200;
const modelUrl = /^model:[a-z0-9][a-z0-9._-]{0,63}$/;

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

  /** Creates or replaces the backend with this key. */
  put(caller: Caller, input: BackendInput): Promise<DetectorBackendRow> {
    assertUsable(input);
    return this.#database.transaction(caller, async (tx) => {
      // Counting also makes calls that set a key at the same time wait for each other.
      const count = await countDetectorBackends(tx);
      const known = await findDetectorBackend(tx, input.key);
      const before = known === null ? null : auditView(known);
      const row = known ?? add(tx, input, count);
      const next = settingsOf(input);
      if (!isUnchanged(row, next)) Object.assign(row, next, { updatedAt: tx.now });
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

/** A backend as a bundle carries it. */
export function backendPart(backend: DetectorBackendRow): JsonObject {
  const { key, url, shape, timeoutMs, authHeader, digest, model } = backend;
  const preset = backend.preset == null ? undefined : presetOf(backend.preset);
  return {
    ...{ key, url, shape, timeout_ms: timeoutMs, auth_header: authHeader ?? null },
    ...(digest != null && { digest }),
    ...(model != null && { model }),
    // The whole preset, so that the signature covers what labels mean.
    ...(preset !== undefined && { preset: presetPart(preset) }),
  };
}

function presetPart({ name, labels, ignore, questions }: Preset): JsonObject {
  return {
    ...{ name, labels: { ...labels }, ignore: [...ignore] },
    ...(questions !== undefined && {
      questions: { answers: { ...questions.answers }, templates: { ...questions.templates } },
    }),
  };
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

function settingsOf({ url, shape, timeoutMs = defaultTimeoutMs, authHeader, digest, preset, model }: BackendInput) {
  const named = { digest: digest ?? null, preset: preset ?? null, model: model ?? null };
  return { url, shape, timeoutMs, authHeader: authHeader ?? null, ...named };
}

function assertUsable(input: BackendInput): void {
  assertPresetFits(input);
  if (input.model !== undefined && !shapesWithModel.includes(input.shape))
    throw validationFailed([{ field: "model", message: `only ${shapesWithModelText()} ask for a model` }]);
  if (input.shape === "onnx-text-classification") assertModel(input);
  else assertServer(input);
}

function assertPresetFits({ preset: name, shape }: BackendInput): void {
  if (name === undefined && needsQuestions(shape))
    throw validationFailed([{ field: "preset", message: `${shape} asks what a preset says` }]);
  const shapes = name === undefined ? undefined : presetOf(name)?.shapes;
  if (shapes === undefined || shapes.includes(shape)) return;
  throw validationFailed([{ field: "preset", message: `${name} is for the shapes ${shapes.join(", ")}` }]);
}

function assertModel({ url, authHeader }: BackendInput): void {
  if (!modelUrl.test(url))
    throw validationFailed([{ field: "url", message: 'expected "model:<name>", with the name of a model\'s folder' }]);
  if (authHeader !== undefined)
    throw validationFailed([{ field: "auth_header", message: "a model runs in the runtime and gets no header" }]);
}

function assertServer({ url, authHeader, digest }: BackendInput): void {
  const parsed = URL.parse(url);
  if (parsed === null || !["http:", "https:"].includes(parsed.protocol))
    throw validationFailed([{ field: "url", message: "expected an address that begins with http:// or https://" }]);
  if (parsed.username !== "" || parsed.password !== "" || parsed.hash !== "")
    throw validationFailed([{ field: "url", message: "expected neither credentials nor a fragment" }]);
  if (digest !== undefined)
    throw validationFailed([{ field: "digest", message: "only models that runtimes run themselves have a digest" }]);
  if (authHeader !== undefined && isCallHeader(authHeader))
    throw validationFailed([{ field: "auth_header", message: "this header belongs to the call itself" }]);
}

function required(row: DetectorBackendRow | null): DetectorBackendRow {
  if (row === null) throw notFound("detector backend");
  return row;
}

function auditView({ digest, preset, model, ...row }: DetectorBackendRow): JsonObject {
  const { key, url, shape, timeoutMs, authHeader } = row;
  const named = { digest: digest ?? null, preset: preset ?? null, model: model ?? null };
  return { key, url, shape, timeout_ms: timeoutMs, auth_header: authHeader ?? null, ...named };
}
