// One analytics answer while it is put together.

import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type {
  AnalyticsBreakdownsSchema,
  AnalyticsPointSchema,
  AnalyticsTotalsSchema,
  AnalyticsWindowSchema,
} from "../../../gen/policyguard/control/v1/trace_analytics_pb.ts";
import { type FailMode, Outcome, type Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import type { OutcomeSum, RuleSum, StatFilter, UnjudgedSum } from "../../store/telemetry/analytics-query.ts";
import { otherKey, otherVersion } from "../../store/telemetry/stat-cube.ts";
import { Breakdown, type BreakdownName, type Measures, StepSums } from "./analytics-sums.ts";
import type { Window } from "./analytics-window.ts";

/** The messages of an answer. */
interface AnswerMessages {
  readonly window: MessageInitShape<typeof AnalyticsWindowSchema>;
  readonly totals: MessageInitShape<typeof AnalyticsTotalsSchema>;
  readonly previous: MessageInitShape<typeof AnalyticsTotalsSchema> | undefined;
  readonly series: readonly MessageInitShape<typeof AnalyticsPointSchema>[];
  readonly breakdowns: MessageInitShape<typeof AnalyticsBreakdownsSchema>;
}

/** Collects sums by step and by name. Sums of the time before the window are those of the comparison. */
export class AnalyticsAnswer {
  readonly #window: Window;
  readonly #measures: Measures;
  readonly #filter: StatFilter;
  readonly #firstMs: number;
  readonly #totals = new StepSums();
  readonly #previous = new StepSums();
  readonly #steps: ReadonlyMap<number, StepSums>;
  /** All evaluations of the window with the same stage, whatever the rule or detector found. */
  #population = 0;
  readonly #rules = new Breakdown<readonly [policy: string, ruleId: string]>();
  readonly #detectors = new Breakdown<readonly [detector: string]>();
  readonly #agents = new Breakdown<readonly [agentKey: string]>();
  readonly #stages = new Breakdown<readonly [stage: number]>();
  readonly #languages = new Breakdown<readonly [language: string]>();
  readonly #versions = new Breakdown<readonly [bundleVersion: number]>();
  readonly #unjudged = new Breakdown<readonly [reason: string, detector: string, onError: number]>();

  constructor(window: Window, measures: Measures, filter: StatFilter) {
    this.#window = window;
    this.#measures = measures;
    this.#filter = filter;
    this.#firstMs = window.starts[0] ?? window.untilMs;
    this.#steps = new Map(window.starts.map((startMs) => [startMs, new StepSums()]));
  }

  addOutcome({ group, startMs, agentKey, stage, language, outcome, wouldBeOutcome, counts }: OutcomeSum): void {
    const [evaluations = 0] = counts;
    if (group === "start") {
      if (startMs >= this.#firstMs) this.#population += evaluations;
      if (this.#measures.by !== "outcome") return;
      for (const sums of this.#at(startMs)) sums.addOutcome(outcome, wouldBeOutcome, counts);
      return;
    }
    const entry =
      group === "agent"
        ? this.#agents.at(agentKey)
        : group === "stage"
          ? this.#stages.at(stage)
          : this.#languages.at(language);
    entry.evaluations += evaluations;
    if (outcome === Outcome.BLOCK) entry.blocked += evaluations;
  }

  addRule({ group, startMs, stage, policy, ruleId, detector, counts }: RuleSum): void {
    const { by } = this.#measures;
    const [traces = 0, detectorTraces = 0, findings = 0, decided = 0] = counts;
    if (group === "start") {
      if (by !== "outcome") for (const sums of this.#at(startMs)) sums.addRule(by, counts);
      return;
    }
    const entry =
      group === "stage"
        ? this.#stages.at(stage)
        : group === "rule"
          ? this.#rules.at(policy, ruleId)
          : this.#detectors.at(detector);
    const isByDetector = group === "detector" || (group === "stage" && by === "detector");
    entry.evaluations += isByDetector ? detectorTraces : traces;
    entry.findings += findings;
    entry.decided += decided;
  }

  addLatency({ startMs, buckets }: { readonly startMs: number; readonly buckets: Uint8Array }): void {
    for (const sums of this.#at(startMs)) sums.latencies.addBytes(buckets);
  }

  addLoss({ startMs, evaluations }: { readonly startMs: number; readonly evaluations: number }): void {
    for (const sums of this.#at(startMs)) sums.lost += evaluations;
  }

  addUnjudged({ reason, detector, onError, traces }: UnjudgedSum): void {
    this.#unjudged.at(reason, detector, onError).evaluations += traces;
  }

  addVersion(row: { readonly bundleVersion: number; readonly outcome: number; readonly evaluations: number }): void {
    const entry = this.#versions.at(row.bundleVersion);
    entry.evaluations += row.evaluations;
    if (row.outcome === Outcome.BLOCK) entry.blocked += row.evaluations;
  }

  /** The messages; `top` is how many entries a breakdown has. */
  toMessages(top: number): AnswerMessages {
    const { starts, untilMs, bucket, previousMs } = this.#window;
    const measures = this.#measures;
    return {
      window: { since: timestampFromMs(this.#firstMs), until: timestampFromMs(untilMs), bucket },
      totals: this.#totals.toMessage(measures),
      previous: previousMs === undefined ? undefined : this.#previous.toMessage(measures),
      series: starts.map((startMs) => ({
        start: timestampFromMs(startMs),
        ...(this.#steps.get(startMs) ?? new StepSums()).toMessage(measures),
      })),
      breakdowns: this.#breakdowns(top),
    };
  }

  /** The sums that a moment counts in. */
  #at(startMs: number): readonly StepSums[] {
    if (startMs < this.#firstMs) return [this.#previous];
    const step = this.#steps.get(this.#window.startOf(startMs));
    return step === undefined ? [] : [this.#totals, step];
  }

  #breakdowns(top: number): MessageInitShape<typeof AnalyticsBreakdownsSchema> {
    const share = (evaluations: number) => (this.#population === 0 ? 0 : evaluations / this.#population);
    const rules = this.#rules.top(top, ([policy]) => policy === otherKey);
    const detectors = this.#detectors.top(top, ([detector]) => detector === otherKey || detector === "");
    const agents = this.#agents.top(top, ([agentKey]) => agentKey === otherKey);
    const stages = this.#stages.top(top);
    const languages = this.#languages.top(top, ([language]) => language === otherKey);
    const versions = this.#versions.top(top, ([version]) => version === otherVersion);
    const unjudged = this.#unjudged.top(top, ([reason]) => reason === otherKey);
    const isByOutcome = this.#measures.by === "outcome";
    // Numbers of enums come from records that were checked, so the casts hold.
    return {
      rules: rules.listed.map(({ key: [policy, ruleId], entry: { evaluations, findings, decided } }) => {
        return { policy, ruleId, evaluations, findings, decided, share: share(evaluations) };
      }),
      detectors: detectors.listed.map(({ key: [detector], entry: { evaluations, findings } }) => {
        return { detector, evaluations, findings, share: share(evaluations) };
      }),
      agents: agents.listed.map(({ key: [agentId], entry: { evaluations, blocked } }) => {
        return { agentId: agentId === "" ? undefined : agentId, evaluations, blocked, share: share(evaluations) };
      }),
      stages: stages.listed.map(({ key: [stage], entry: { evaluations, blocked } }) => {
        return { stage: stage as Stage, evaluations, ...(isByOutcome ? { blocked } : {}), share: share(evaluations) };
      }),
      languages: languages.listed.map(({ key: [language], entry: { evaluations, blocked } }) => {
        return { language: language === "" ? undefined : language, evaluations, blocked, share: share(evaluations) };
      }),
      bundleVersions: versions.listed.map(({ key: [bundleVersion], entry: { evaluations, blocked } }) => {
        return { bundleVersion, evaluations, blocked, share: share(evaluations) };
      }),
      unjudgedReasons: unjudged.listed.map(({ key: [reason, detector, onError], entry: { evaluations } }) => {
        return { reason, detector, onError: onError as FailMode, evaluations, share: share(evaluations) };
      }),
      other: {
        rules: rules.other,
        detectors: detectors.other,
        agents: agents.other,
        stages: stages.other,
        languages: languages.other,
        bundleVersions: versions.other,
        unjudgedReasons: unjudged.other,
      },
      unavailable: this.#unavailable(),
    };
  }

  #unavailable(): BreakdownWireName[] {
    const { by, hasLosses } = this.#measures;
    const names: BreakdownWireName[] = [];
    const { agentKey, language } = this.#filter;
    if (by !== "outcome" || agentKey !== undefined || language !== undefined) names.push("rules", "detectors");
    if (by !== "outcome") names.push("agents", "languages");
    if (!hasLosses) names.push("bundle_versions", "unjudged_reasons");
    return names;
  }
}

/** The names as answers have them. */
type BreakdownWireName =
  | Exclude<BreakdownName, "bundleVersions" | "unjudgedReasons">
  | "bundle_versions"
  | "unjudged_reasons";
