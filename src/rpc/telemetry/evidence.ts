import { create, fromJson, type JsonValue, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate, type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  type EvidenceCheckpointSchema,
  type EvidenceControlSchema,
  type EvidenceEntrySchema,
  type EvidenceEpochSchema,
  EvidenceProofSchema,
} from "../../../gen/policyguard/control/v1/evidence_pb.ts";
import type { EvidenceService } from "../../../gen/policyguard/control/v1/evidence_service_pb.ts";
import type { CountedControl, Evidence, EvidenceEntry, EvidenceQuery } from "../../domain/telemetry/evidence.ts";
import type { EvidenceExports, EvidenceFormat } from "../../domain/telemetry/evidence-export.ts";
import type { Checkpoint, Epoch, EvidenceLog, InclusionProof } from "../../domain/telemetry/evidence-log.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { entriesOf, pageOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";

/** What the handlers call. */
export interface EvidenceDomain {
  readonly evidence: Evidence;
  readonly evidenceLog: EvidenceLog;
  readonly evidenceExports: EvidenceExports;
}

/** Handlers of EvidenceService. */
export function evidenceHandlers({
  evidence,
  evidenceLog,
  evidenceExports,
}: EvidenceDomain): ServiceImpl<typeof EvidenceService> {
  return {
    listEvidence: async (request, context) => {
      const page = pageOf(request);
      const [entries, total] = await evidence.list(callerOf(context), queryOf(request), page);
      return { total, ...page, evidence: entries.map(entryMessage) };
    },
    getEvidence: async ({ seq }, context) => ({ entry: entryMessage(await evidence.get(callerOf(context), seq)) }),
    async *exportEvidence(request, context) {
      const format = formatOf(request.format);
      const { treeSize } = request;
      const parts = await evidenceExports.open(callerOf(context), { query: queryOf(request), format, treeSize });
      context.responseHeader.set("Content-Disposition", `attachment; filename="evidence.${format}"`);
      for await (const data of parts) {
        yield { contentType: contentTypes[format], data };
        context.signal.throwIfAborted();
      }
    },
    listEvidenceControls: async (request, context) => {
      const page = pageOf(request);
      const all = await evidence.controls(callerOf(context), timesOf(request));
      return { total: all.length, ...page, controls: entriesOf(all, page).map(controlMessage) };
    },
    async *getEvidenceCheckpoint(_request, context) {
      const { note } = await evidenceLog.checkpoint(callerOf(context));
      yield { contentType: plainText, data: Buffer.from(note) };
    },
    listEvidenceCheckpoints: async (request, context) => {
      const page = pageOf(request);
      const found = await evidenceLog.checkpoints(callerOf(context), page);
      const { total, origin, verifierKeys, checkedAt, checkpoints, epochs } = found;
      return {
        ...{ total, ...page, origin, verifierKeys: [...verifierKeys] },
        ...{ checkedAt: timestamp(checkedAt), checkpoints: checkpoints.map(checkpointMessage) },
        epochs: epochs.map(epochMessage),
      };
    },
    async *getEvidenceProof({ seq, treeSize, format }, context) {
      const proof = await evidenceLog.proof(callerOf(context), seq, treeSize);
      if (format === "tlog-proof") {
        context.responseHeader.set("Content-Disposition", `attachment; filename="${seq}.tlog-proof"`);
        yield { contentType: plainText, data: Buffer.from(proof.text) };
      } else yield { contentType: "application/json", data: Buffer.from(JSON.stringify(proofJson(proof))) };
    },
    getEvidenceConsistency: async ({ from, to }, context) => {
      const { fromRoot, toRoot, path, ...sizes } = await evidenceLog.consistency(callerOf(context), from, to);
      return { ...sizes, fromRootHash: fromRoot, toRootHash: toRoot, hashes: [...path] };
    },
  };
}

const contentTypes: Readonly<Record<EvidenceFormat, string>> = {
  jsonl: "application/x-ndjson",
  csv: "text/csv; charset=utf-8; header=present",
  zip: "application/zip",
};

function formatOf(text: string | undefined): EvidenceFormat {
  return text === "csv" || text === "zip" ? text : "jsonl";
}

interface Times {
  readonly since?: Timestamp;
  readonly until?: Timestamp;
}

function timesOf({ since, until }: Times) {
  return { since: since && timestampDate(since), until: until && timestampDate(until) };
}

function queryOf(
  request: Times & {
    readonly action?: string;
    readonly actor?: string;
    readonly resource?: string;
    readonly control?: string;
  },
): EvidenceQuery {
  const { action, actor, resource, control } = request;
  return { action, actor, resource, control, ...timesOf(request) };
}

function controlMessage({
  actions,
  detectors = [],
  label: _,
  ...control
}: CountedControl): MessageInitShape<typeof EvidenceControlSchema> {
  return { ...control, actions: [...actions], detectors: [...detectors] };
}

const plainText = "text/plain; charset=utf-8";

function checkpointMessage({
  size,
  root,
  note,
  createdAt,
}: Checkpoint): MessageInitShape<typeof EvidenceCheckpointSchema> {
  return { treeSize: size, rootHash: root, note, createdAt: timestamp(createdAt) };
}

function epochMessage({ epoch, origin, size, reason, createdAt }: Epoch): MessageInitShape<typeof EvidenceEpochSchema> {
  return { epoch, origin, treeSize: size, reason, beganAt: timestamp(createdAt) };
}

function proofJson({ seq, treeSize, path, checkpoint }: InclusionProof): JsonValue {
  const message = { seq, treeSize, hashes: [...path], checkpoint: checkpointMessage(checkpoint) };
  return toJson(EvidenceProofSchema, create(EvidenceProofSchema, message), {
    useProtoFieldName: true,
    alwaysEmitImplicit: true,
  });
}

function entryMessage({ values, createdAt, ...entry }: EvidenceEntry): MessageInitShape<typeof EvidenceEntrySchema> {
  return {
    seq: entry.seq,
    orgId: entry.orgId,
    createdAt: timestamp(createdAt),
    action: entry.action,
    resource: entry.resource,
    credential: entry.credential,
    requestId: entry.requestId,
    actor: text(values.actor),
    address: text(values.address),
    before: message(values.before),
    after: message(values.after),
    digestOnly: [...entry.digestOnly],
    omitted: [...entry.omitted],
    salts: entry.salts,
    leaf: entry.leaf,
    leafHash: entry.leafHash,
  };
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function message(value: JsonValue | undefined): Value | undefined {
  return value === undefined ? undefined : fromJson(ValueSchema, value);
}
