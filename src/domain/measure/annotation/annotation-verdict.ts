// Keeps what annotations come to beside them: the verdict of each target, and the facets that lists filter by.

import {
  type AnnotationMark,
  AnnotationMarkSchema,
  AnnotationSource,
} from "../../../../gen/policyguard/control/v1/annotation_pb.ts";
import { wireName } from "../../../kit/protobuf/wire-name.ts";
import type { Transaction } from "../../../store/core/transaction.ts";
import { standingAnnotations, standingMarks } from "../../../store/measure/annotation/annotation.ts";
import {
  AnnotationVerdictRow,
  findVerdict,
  updateVerdicts,
  type Verdict,
  type VerdictTarget,
  verdictsOf,
} from "../../../store/measure/annotation/annotation-verdict.ts";
import { FacetKind, replaceFacets } from "../../../store/telemetry/trace-facet.ts";
import { resolve } from "./annotation-resolution.ts";

/** Traces whose verdicts one step of a project's renewal reads. */
const tracesAtOnce = 2_000;

/** A trace as its annotations know it. */
export interface AnnotatedTrace {
  readonly id: string;
  readonly createdAt: Date;
  readonly projectId: string;
  readonly environment: string;
}

/** How a trace's targets are judged anew. */
export interface Renewal {
  readonly quorum: number;
  /** Whether the target found something in the trace. */
  readonly hasFinding: boolean;
  /** With which probability the random lane has chosen the trace; null when it has not. */
  readonly probability: number | null;
}

/** Renews the verdict about one target after a change of its annotations. */
export async function renewVerdict(
  tx: Transaction,
  trace: AnnotatedTrace,
  { policy, ruleId }: Pick<VerdictTarget, "policy" | "ruleId">,
  { quorum, hasFinding, probability }: Renewal,
): Promise<void> {
  const standing = await standingAnnotations(tx, trace.id);
  const own = standing.filter((row) => row.policy === policy && row.ruleId === ruleId);
  const target = { traceId: trace.id, policy, ruleId };
  const isRandom = own.some(({ source }) => source === AnnotationSource.RANDOM);
  const verdict = {
    ...{ marks: own.length, ...resolve(own, quorum), hasFinding },
    ...{ probability: isRandom ? probability : null },
  };
  const known = await findVerdict(tx, target);
  if (known !== null) Object.assign(known, verdict);
  else {
    const { projectId, environment, createdAt: traceCreatedAt } = trace;
    tx.em.create(AnnotationVerdictRow, {
      orgId: tx.orgId,
      ...target,
      projectId,
      environment,
      traceCreatedAt,
      ...verdict,
    });
  }
  await tx.em.flush();
  await renewFacets(tx, [trace.id]);
}

function facetsOf(
  verdicts: readonly {
    readonly marks: number;
    readonly resolvedMark?: AnnotationMark | null;
    readonly isDisputed: boolean;
  }[],
): string[] {
  const isAnnotated = verdicts.some(({ marks: count }) => count > 0);
  const marks = new Set(
    verdicts.flatMap(({ resolvedMark }) =>
      resolvedMark == null ? [] : [wireName(AnnotationMarkSchema, resolvedMark)],
    ),
  );
  const isDisputed = verdicts.some((verdict) => verdict.isDisputed);
  return [...(isAnnotated ? ["any"] : []), ...(isDisputed ? ["disputed"] : []), ...marks];
}

/** Judges all targets of a project by another quorum. */
export async function resolveProject(tx: Transaction, projectId: string, quorum: number): Promise<void> {
  let afterTrace = "00000000-0000-0000-0000-000000000000";
  for (;;) {
    const marks = await standingMarks(tx, projectId, { afterTrace, limit: tracesAtOnce });
    const last = marks.at(-1);
    if (last === undefined) return;
    afterTrace = last.traceId;
    const targets = Map.groupBy(marks, ({ traceId, policy, ruleId }) => JSON.stringify([traceId, policy, ruleId]));
    const verdicts = [...targets.values()].flatMap((own): Verdict[] => {
      const [first] = own;
      return first === undefined ? [] : [{ ...first, marks: own.length, ...resolve(own, quorum) }];
    });
    await updateVerdicts(tx, verdicts);
    await renewFacets(tx, [...new Set(verdicts.map(({ traceId }) => traceId))]);
  }
}

async function renewFacets(tx: Transaction, traceIds: readonly string[]): Promise<void> {
  const traces = Map.groupBy(await verdictsOf(tx, traceIds), ({ traceId }) => traceId);
  const facets = [...traces].flatMap(([id, verdicts]) => {
    const [first] = verdicts;
    return first === undefined ? [] : [{ id, createdAt: first.traceCreatedAt, values: facetsOf(verdicts) }];
  });
  await replaceFacets(tx, FacetKind.ANNOTATION, facets);
}
