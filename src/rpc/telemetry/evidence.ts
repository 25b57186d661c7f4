import { fromJson, type JsonValue, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate, type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { EvidenceEntrySchema } from "../../../gen/policyguard/control/v1/evidence_pb.ts";
import type { EvidenceService } from "../../../gen/policyguard/control/v1/evidence_service_pb.ts";
import type { Evidence, EvidenceEntry } from "../../domain/telemetry/evidence.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { pageOf } from "../../kit/rpc/page.ts";
import { timestamp } from "../time.ts";

/** Handlers of EvidenceService. */
export function evidenceHandlers(evidence: Evidence): ServiceImpl<typeof EvidenceService> {
  return {
    listEvidence: async (request, context) => {
      const page = pageOf(request);
      const { action, actor, resource } = request;
      const since = request.since && timestampDate(request.since);
      const until = request.until && timestampDate(request.until);
      const [entries, total] = await evidence.list(callerOf(context), { action, actor, resource, since, until }, page);
      return { total, ...page, evidence: entries.map(entryMessage) };
    },
    getEvidence: async ({ seq }, context) => ({ entry: entryMessage(await evidence.get(callerOf(context), seq)) }),
  };
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
