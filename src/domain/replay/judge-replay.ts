// How a replay stands before a gate.

import type { ReplayRequirement } from "../bundle/gate/definition.ts";
import type { GateFinding } from "../bundle/gate/verdict.ts";
import type { CountEstimate } from "./replay-estimate.ts";
import { replaySharesOf, type SampledSpec } from "./replay-report.ts";
import type { ReplayProgress } from "./replay-spec.ts";

/** How the replay stands. */
export function judgeReplay(
  { maxNewlyBlocked, maxNewlyAllowed, bounded, minTraces, windowDays }: ReplayRequirement,
  { spec, progress }: { readonly spec: SampledSpec; readonly progress: ReplayProgress },
): GateFinding {
  const { population, judged, newlyBlocked, newlyAllowed } = replaySharesOf(spec, progress, bounded);
  const held = [
    ...(maxNewlyBlocked === null ? [] : [hold("newly_blocked", newlyBlocked, population, maxNewlyBlocked)]),
    ...(maxNewlyAllowed === null ? [] : [hold("newly_allowed", newlyAllowed, population, maxNewlyAllowed)]),
  ];
  const isEnough = judged >= minTraces;
  const details = {
    ...{ population, judged, needed_n: isEnough ? null : minTraces },
    ...Object.fromEntries(held.map(({ name, numbers }) => [name, numbers])),
    overrides: (spec.lifted ?? []).map(({ policy, ruleId }) => `${policy}/${ruleId}`),
  };
  if (!isEnough) {
    const left = bounded === "ignore" ? " with an exact answer" : "";
    const reason = `${judged} traces of the last ${windowDays} days were judged${left}, and ${minTraces} are needed`;
    return { state: "failed", reason, details };
  }
  const unmet = held.filter(({ isMet }) => !isMet);
  const said = (unmet.length > 0 ? unmet : held).map(({ words }) => words).join("; ");
  const reason = `${said}, of ${population} traces${saidOverrides(details.overrides)}`;
  return { state: unmet.length > 0 ? "failed" : "passed", reason, details };
}

function saidOverrides(names: readonly string[]): string {
  if (names.length === 0) return "";
  return `; compared as if no override kept ${names.join(", ")} in shadow`;
}

function hold(name: string, { estimate, high }: CountEstimate, population: number, limit: number) {
  const upper = population === 0 ? 1 : Math.min(1, high / population);
  const share = population === 0 ? 0 : estimate / population;
  const isMet = upper < limit || limit >= 1;
  const verb = isMet ? "is below" : "is not below";
  return {
    ...{ name, isMet, words: `the upper bound of ${name}, ${percent(upper)}, ${verb} ${percent(limit)}` },
    numbers: { estimate: rounded(share), upper: rounded(upper), limit, met: isMet },
  };
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`;
}

function rounded(share: number): number {
  return Math.round(share * 1e6) / 1e6;
}
