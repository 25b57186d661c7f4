import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  AnnotationLane,
  AnnotationMark,
  type AnnotationQueueItemSchema,
  type AnnotationSchema,
  type AnnotationTarget,
  AnnotationTargetKind,
  MissingTextAction,
  RedactedTextAction,
} from "../../../../gen/policyguard/control/v1/annotation_pb.ts";
import type {
  AnnotationService,
  CreateAnnotationRequest,
  ExportAnnotationsRequest,
  LeaseAnnotationQueueRequest,
  ListAnnotationQueueRequest,
  ListAnnotationsRequest,
  UpdateAnnotationRequest,
} from "../../../../gen/policyguard/control/v1/annotation_service_pb.ts";
import { Outcome } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import {
  type AnnotatedRule,
  type Annotations,
  type AnnotationView,
  spansOf,
} from "../../../domain/measure/annotation/annotation.ts";
import type { AnnotationExports } from "../../../domain/measure/annotation/annotation-export.ts";
import type { AnnotationQueue } from "../../../domain/measure/annotation/annotation-queue.ts";
import type { AnnotationSettings } from "../../../domain/measure/annotation/annotation-setting.ts";
import { validationFailed } from "../../../kit/fault/fault.ts";
import { callerOf } from "../../../kit/rpc/context.ts";
import { pageOf } from "../../../kit/rpc/page.ts";
import { traceFilterOf } from "../../telemetry/trace-filter.ts";
import { timestamp } from "../../time.ts";

type QueueRow = Awaited<ReturnType<AnnotationQueue["lease"]>>[number];

/** What the handlers call. */
export interface AnnotationDomain {
  readonly annotationExports: AnnotationExports;
  readonly annotationQueue: AnnotationQueue;
  readonly annotations: Annotations;
  readonly annotationSettings: AnnotationSettings;
}

/** Handlers of AnnotationService. */
export function annotationHandlers({
  annotations,
  annotationExports,
  annotationQueue,
  annotationSettings,
}: AnnotationDomain): ServiceImpl<typeof AnnotationService> {
  return {
    ...queueHandlers(annotationQueue),
    createAnnotation: async (request, context) => {
      const row = await annotations.create(callerOf(context), request.traceId.toLowerCase(), inputOf(request));
      return { annotation: annotationMessage(row) };
    },
    listTraceAnnotations: async (request, context) => {
      const page = pageOf(request);
      const input = { ...page, withHistory: request.history ?? false };
      const [rows, total] = await annotations.listOfTrace(callerOf(context), request.traceId.toLowerCase(), input);
      return { total, ...page, annotations: rows.map(annotationMessage) };
    },
    updateAnnotation: async (request, context) => {
      const { traceId, annotationId } = request;
      const ids = [traceId.toLowerCase(), annotationId.toLowerCase()] as const;
      return { annotation: annotationMessage(await annotations.update(callerOf(context), ...ids, changeOf(request))) };
    },
    deleteAnnotation: async ({ traceId, annotationId }, context) => {
      await annotations.withdraw(callerOf(context), traceId.toLowerCase(), annotationId.toLowerCase());
      return {};
    },
    listAnnotations: async (request, context) => {
      const page = pageOf(request);
      const [rows, total] = await annotations.list(callerOf(context), filterOf(request), page);
      return { total, ...page, annotations: rows.map(annotationMessage) };
    },
    exportAnnotations: async (request, context) => {
      const { errors, ...done } = await annotationExports.export(callerOf(context), exportOf(request));
      return { ...done, errors: [...errors] };
    },
    getAnnotationSettings: async ({ projectId }, context) => ({
      settings: await annotationSettings.get(callerOf(context), projectId.toLowerCase()),
    }),
    updateAnnotationSettings: async ({ projectId, quorum, targetPerDay, informativePerDay }, context) => {
      const change = { quorum, targetPerDay, informativePerDay };
      return { settings: await annotationSettings.update(callerOf(context), projectId.toLowerCase(), change) };
    },
  };
}

const allMarks = [
  ...[AnnotationMark.FALSE_POSITIVE, AnnotationMark.FALSE_NEGATIVE, AnnotationMark.CORRECT, AnnotationMark.ACCEPTABLE],
];

function exportOf(request: ExportAnnotationsRequest): Parameters<AnnotationExports["export"]>[1] {
  const { projectId, environment, policy, ruleId, since, until } = request.filter ?? {};
  const { missingText, redacted, dataset, marks } = request;
  return {
    datasetId: request.datasetId?.toLowerCase(),
    dataset: dataset && { name: dataset.name, projectId: dataset.projectId?.toLowerCase() },
    filter: {
      ...{ projectId: projectId?.toLowerCase(), environment, policy, ruleId },
      since: since && timestampDate(since),
      until: until && timestampDate(until),
      marks: marks.length === 0 ? allMarks : marks,
    },
    missingText:
      missingText === MissingTextAction.SIGNALS_ONLY
        ? "signals_only"
        : missingText === MissingTextAction.FAIL
          ? "fail"
          : "skip",
    redacted: redacted === RedactedTextAction.SKIP ? "skip" : "include",
  };
}

function queueHandlers(queue: AnnotationQueue): Pick<ServiceImpl<typeof AnnotationService>, QueueMethod> {
  return {
    listAnnotationQueue: async (request, context) => {
      const page = pageOf(request);
      const [rows, total] = await queue.list(callerOf(context), request.annotator, queueFilterOf(request), page);
      return { total, ...page, items: rows.map(itemMessage) };
    },
    leaseAnnotationQueue: async (request, context) => {
      const { annotator, limit = defaultLease } = request;
      const rows = await queue.lease(callerOf(context), annotator, queueFilterOf(request), limit);
      return { items: rows.map(itemMessage) };
    },
    skipAnnotationQueueItem: async ({ annotator, traceId }, context) => {
      await queue.skip(callerOf(context), annotator, traceId.toLowerCase());
      return {};
    },
  };
}

type QueueMethod = "listAnnotationQueue" | "leaseAnnotationQueue" | "skipAnnotationQueueItem";

const defaultLease = 10;

function queueFilterOf(request: ListAnnotationQueueRequest | LeaseAnnotationQueueRequest) {
  const { lane } = request;
  return { ...traceFilterOf(request), lane: lane === AnnotationLane.UNSPECIFIED ? undefined : lane };
}

function itemMessage(row: QueueRow): MessageInitShape<typeof AnnotationQueueItemSchema> {
  return {
    traceId: row.traceId,
    projectId: row.projectId,
    environment: row.environment,
    traceCreatedAt: timestamp(row.traceCreatedAt),
    lane: row.lane,
    stratum: row.stratum,
    probability: row.probability ?? undefined,
    reason: row.reason === "" ? undefined : row.reason,
    isSecondOpinion: row.seat > 1,
    leasedUntil: timestamp(row.leasedUntil),
  };
}

function inputOf(request: CreateAnnotationRequest): Parameters<Annotations["create"]>[2] {
  const { mark, expectedOutcome, expectedLabels, spans, note, isFinal, annotator } = request;
  return {
    ...{ rule: ruleOf(request.target), mark, expectedLabels, spans, annotator },
    ...{ expectedOutcome: presentOutcome(expectedOutcome) ?? null, note: note ?? null, isFinal: isFinal ?? false },
  };
}

function ruleOf(target: AnnotationTarget | undefined): AnnotatedRule | undefined {
  const { kind = AnnotationTargetKind.TRACE, policy, ruleId } = target ?? {};
  if (kind === AnnotationTargetKind.RULE) {
    if (policy !== undefined && ruleId !== undefined) return { policy, ruleId };
    throw validationFailed([{ field: "target", message: "a rule is named by policy and rule_id: give both" }]);
  }
  if (policy === undefined && ruleId === undefined) return undefined;
  throw validationFailed([{ field: "target", message: 'policy and rule_id are for the kind "rule"; leave them out' }]);
}

function changeOf(request: UpdateAnnotationRequest): Parameters<Annotations["update"]>[3] {
  const { mark, expectedLabels, spans, note, isFinal } = request;
  const expectedOutcome = presentOutcome(request.expectedOutcome);
  return {
    ...(mark === AnnotationMark.UNSPECIFIED ? {} : { mark }),
    ...(expectedOutcome === undefined ? {} : { expectedOutcome }),
    ...(expectedLabels.length === 0 ? {} : { expectedLabels }),
    ...(spans.length === 0 ? {} : { spans }),
    ...(note === undefined ? {} : { note }),
    ...(isFinal === undefined ? {} : { isFinal }),
  };
}

function filterOf(request: ListAnnotationsRequest): Parameters<Annotations["list"]>[1] {
  const { environment, mark, policy, ruleId, annotator, resolved, since, until } = request;
  return {
    ...{ projectId: request.projectId?.toLowerCase(), environment, policy, ruleId },
    mark: mark === AnnotationMark.UNSPECIFIED ? undefined : mark,
    ...{ annotatorId: annotator, isResolved: resolved },
    ...{ since: since && timestampDate(since), until: until && timestampDate(until) },
  };
}

function presentOutcome(outcome: Outcome | null | undefined): Outcome | undefined {
  return outcome == null || outcome === Outcome.UNSPECIFIED ? undefined : outcome;
}

function annotationMessage(row: AnnotationView): MessageInitShape<typeof AnnotationSchema> {
  const isOfRule = row.policy !== "";
  return {
    id: row.id,
    orgId: row.orgId,
    traceId: row.traceId,
    projectId: row.projectId,
    environment: row.environment,
    mark: row.mark,
    target: isOfRule
      ? { kind: AnnotationTargetKind.RULE, policy: row.policy, ruleId: row.ruleId }
      : { kind: AnnotationTargetKind.TRACE },
    expectedOutcome: presentOutcome(row.expectedOutcome),
    expectedLabels: [...row.expectedLabels],
    spans: spansOf(row),
    note: row.note ?? undefined,
    annotator: { kind: row.annotatorKind, id: row.annotatorId, label: row.annotatorLabel },
    source: row.source,
    isFinal: row.isFinal,
    revision: row.revision,
    createdAt: timestamp(row.createdAt),
    withdrawnAt: timestamp(row.withdrawnAt),
    isCurrent: row.isCurrent,
  };
}
