import type { Replay, ReplayFilter } from "../../../gen/policyguard/control/v1/replay_pb.ts";
import { annotationNames } from "../../data/annotation.ts";
import { isOpen, runStates, runTone } from "../../data/run.ts";
import { stageName } from "../../data/stage.ts";
import { Badge } from "../../part/badge.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import { en } from "../../text/en.ts";
import { count, duration } from "../../text/format.ts";

const texts = en.replays;

/** By what the traces were judged. */
export function judgeText({ policy, version, bundle, judges }: Replay): string {
  if (judges.length > 0) return texts.local(judges.map((judge) => judge.policy).join(", "));
  if (bundle !== undefined) return texts.bundleOf(bundle.environment, bundle.version);
  return version === undefined ? texts.document(policy ?? "") : en.review.newest(policy ?? "", version);
}

/** Which traces were replayed. */
export function filterText(filter: ReplayFilter | undefined): string {
  const { environment, ruleId, agentId, policy, detector, category, unjudged, bundleVersion, outcome, stage } =
    filter ?? ({} as Partial<ReplayFilter>); // of a local replay
  const { language, wouldBeOutcome, minLatencyUs, maxLatencyUs, annotation } = filter ?? ({} as Partial<ReplayFilter>);
  const said = [environment, ruleId, agentId, policy, detector, category, unjudged, language].filter(
    (each) => each !== undefined,
  );
  const name = outcome === undefined ? undefined : outcomeName(outcome);
  if (bundleVersion !== undefined) said.push(en.common.version(bundleVersion));
  if (name !== undefined) said.push(en.outcome[name]);
  const would = wouldBeOutcome === undefined ? undefined : outcomeName(wouldBeOutcome);
  if (would !== undefined) said.push(texts.wouldBe(en.outcome[would]));
  if (minLatencyUs !== undefined) said.push(texts.tookAtLeast(duration(minLatencyUs)));
  if (maxLatencyUs !== undefined) said.push(texts.tookAtMost(duration(maxLatencyUs)));
  const mark = annotationNames.nameOf(annotation);
  if (mark !== "") said.push(`${en.traces.chip.mark}: ${en.traces.choices[mark] ?? mark}`);
  if (stage !== undefined && stage !== 0) said.push(stageName(stage));
  return said.length === 0 ? texts.everything : said.join(" · ");
}

/** How far a replay is. */
export function ReplayState({ replay: { state, progress } }: { readonly replay: Replay }) {
  const name = runStates.nameOf(state);
  const total = progress?.total;
  return (
    <>
      <Badge tone={runTone(state)}>{en.bundle.replayStates[name] ?? name}</Badge>{" "}
      {isOpen(state) && total !== undefined && en.bundle.progress(count(progress?.done ?? 0), count(total))}
    </>
  );
}
