import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { CandidateSchema } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import type { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import type { CandidateTally } from "../../../gen/policyguard/runtime/v1/reporting_service_pb.ts";
import type { Candidates, CandidateView } from "../../domain/bundle/candidate.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { runtimeScope } from "../runtime-scope.ts";
import { timestamp } from "../time.ts";
import { statementMessage } from "./statement.ts";

type Handled = "startCandidate" | "getCandidate" | "dropCandidate" | "getCandidateBundle";

/** Handlers of BundleService about candidates. */
export function candidateHandlers(candidates: Candidates): Pick<ServiceImpl<typeof BundleService>, Handled> {
  return {
    startCandidate: async (request, context) => {
      const { version, percent = 100, expiresInHours: hours = 72 } = request;
      const view = await candidates.start(callerOf(context), pathOf(request), { version, percent, hours });
      return { candidate: candidateMessage(view) };
    },
    getCandidate: async (request, context) => ({
      candidate: candidateMessage(await candidates.get(callerOf(context), pathOf(request))),
    }),
    dropCandidate: async (request, context) => {
      await candidates.drop(callerOf(context), pathOf(request));
      return {};
    },
    getCandidateBundle: async (_request, context) => {
      const { manifest, parts } = await candidates.bundle(runtimeScope(context));
      const copies = parts.map(({ path, data }) => ({ path, data: Uint8Array.from(data) }));
      return { bundle: { manifest: statementMessage(manifest), parts: copies } };
    },
  };
}

/** The counts of a runtime in the form of the domain. */
export function comparisonOf({ samples, ...tally }: CandidateTally): Parameters<Candidates["note"]>[1] {
  const dated = samples.flatMap(({ createdAt, ...sample }) =>
    createdAt === undefined ? [] : [{ ...sample, createdAt: timestampDate(createdAt) }],
  );
  return { ...tally, samples: dated };
}

function pathOf({ projectId, envName }: { projectId: string; envName: string }) {
  return { projectId, environment: envName };
}

function candidateMessage(view: CandidateView): MessageInitShape<typeof CandidateSchema> {
  const { candidate, isExpired, counts, samples } = view;
  const sum = (rows: CandidateView["counts"]) => rows.reduce((total, { evaluations }) => total + evaluations, 0);
  return {
    version: candidate.version,
    activeVersion: candidate.activeVersion,
    percent: candidate.percent,
    startedBy: candidate.startedBy,
    startedAt: timestamp(candidate.startedAt),
    expiresAt: timestamp(candidate.expiresAt),
    expired: isExpired,
    evaluations: sum(counts),
    disagreements: sum(counts.filter((row) => row.activeOutcome !== row.candidateOutcome)),
    skipped: candidate.skipped,
    failed: candidate.failed,
    loadFailure: candidate.loadFailure ?? undefined,
    counts: counts.map(({ activeOutcome, candidateOutcome, evaluations }) => ({
      activeOutcome,
      candidateOutcome,
      evaluations,
    })),
    samples: samples.map(({ evaluationId, activeOutcome, candidateOutcome, candidateRule, createdAt }) => ({
      evaluationId,
      activeOutcome,
      candidateOutcome,
      candidateRule: candidateRule === "" ? undefined : candidateRule,
      createdAt: timestamp(createdAt),
    })),
  };
}
