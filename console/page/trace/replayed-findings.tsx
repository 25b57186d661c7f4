import type { Trace } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import {
  ReplayAnswer,
  type ReplayedFinding,
  type TraceReplay,
} from "../../../gen/policyguard/control/v1/trace_replay_pb.ts";
import { CaptureMode } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { Badge } from "../../part/badge.tsx";
import { en } from "../../text/en.ts";
import { beginningOf, count, decimal } from "../../text/format.ts";
import { changeOf, driftOf, type FindingChange } from "./finding-change.ts";
import style from "./trace.module.css";

const texts = en.review;
const maxQuoted = 80;
const tones: Readonly<Record<FindingChange, "plain" | "good" | "notice" | "bad">> = {
  added: "notice",
  gone: "notice",
  same: "plain",
  unknown: "plain",
};

/** What was found then beside what is found by the replay: what is new, what is gone, and how scores moved. */
export function ReplayedFindings({ trace, replay }: { readonly trace: Trace; readonly replay: TraceReplay }) {
  const { findings, findingsOmitted } = replay;
  const counts = Map.groupBy(findings, changeOf);
  const say = (change: FindingChange) => texts.findingCounts[change](counts.get(change)?.length ?? 0);
  return (
    <section className={style.said} aria-label={texts.findings}>
      <h4>{texts.findings}</h4>
      {findings.length === 0 && <p className={style.dim}>{texts.noFindings}</p>}
      {findings.length > 0 && (
        <p>
          {say("added")}, {say("gone")}, {say("same")}
          {counts.has("unknown") && `, ${say("unknown")}`}
        </p>
      )}
      <ul className={style.findings}>
        {findings.map((finding) => (
          <Finding key={keyOf(finding)} trace={trace} finding={finding} />
        ))}
      </ul>
      {findingsOmitted > 0 && <p className={style.dim}>{texts.findingsOmitted(count(findingsOmitted))}</p>}
    </section>
  );
}

function Finding({ trace, finding }: { readonly trace: Trace; readonly finding: ReplayedFinding }) {
  const change = changeOf(finding);
  const { ruleId, category, segment, wasScore, wasThreshold, score, threshold } = finding;
  const quoted = quoteOf(trace, finding);
  const drift = driftOf(finding);
  return (
    <li>
      <Badge tone={tones[change]}>{texts.findingChanges[change]}</Badge>
      <span>
        <code>{ruleId}</code>
        <span className={style.detail}>{[category, segment, quoted].filter((part) => part !== "").join(" · ")}</span>
        <span className={style.detail}>
          {texts.was} {measured(wasScore, wasThreshold, finding.was)} · {texts.is}{" "}
          {measured(score, threshold, finding.match)}
          {drift !== undefined && ` · ${texts.drift(drift)}`}
        </span>
      </span>
    </li>
  );
}

/** "0.93 ≥ 0.5"; or that nothing was found there, or that it is not known. */
function measured(score: number | undefined, threshold: number | undefined, answer: ReplayAnswer): string {
  if (score === undefined) return answer === ReplayAnswer.UNKNOWN ? texts.notKnown : texts.notFound;
  return texts.measured(decimal(rounded(score)), decimal(rounded(threshold ?? 0)));
}

function rounded(score: number): number {
  return Math.round(score * 1_000) / 1_000;
}

/** What the finding is about, where the trace has its text as it came. */
function quoteOf({ capture, segments }: Trace, { segment, start, end }: ReplayedFinding): string {
  const text = capture === CaptureMode.FULL ? segments.find(({ id }) => id === segment)?.text : undefined;
  const quoted = text?.slice(start, end) ?? "";
  if (quoted === "") return "";
  return `“${quoted.length > maxQuoted ? `${beginningOf(quoted, maxQuoted)}…` : quoted}”`;
}

function keyOf({ policy, ruleId, segment, category, start, end }: ReplayedFinding): string {
  return [policy, ruleId, segment, category, start, end].join(" ");
}
