import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Sample } from "../../../gen/policyguard/control/v1/dataset_sample_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { stageName } from "../../data/stage.ts";
import { Badge } from "../../part/badge.tsx";
import { Button } from "../../part/button.tsx";
import { MarkedText } from "../../part/judgement/marked-text.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import { nameOf, pieceOf } from "../../part/judgement/sample-piece.ts";
import { SampleReader, whyUnread } from "../../part/judgement/sample-reader.tsx";
import layout from "../../part/layout/layout.module.css";
import { en } from "../../text/en.ts";
import type { FoundSample, SinceThen } from "./samples.ts";

const texts = en.benchmarks;

/** A sample that a benchmark names: its text and what it is, as they were measured, or why they cannot be read. */
export function SampleCell({
  id,
  labels = [],
  found,
}: {
  readonly id: string;
  /** What a result still says of a sample that is gone. */
  readonly labels?: readonly string[];
  readonly found: FoundSample;
}) {
  if (typeof found !== "string") return <Found {...found} />;
  return (
    <div className={layout.stack}>
      <span className={layout.dim}>{texts.notFoundSample[found]}</span>
      <span className={layout.row}>
        <Labels labels={labels} />
        <code className={layout.wrap}>{id}</code>
      </span>
    </div>
  );
}

function Labels({ labels }: { readonly labels: readonly string[] }) {
  return labels.map((label) => <Badge key={label}>{label}</Badge>);
}

function Found({ sample, since }: { readonly sample: Sample; readonly since: SinceThen }) {
  const [isRead, setRead] = useState(false);
  const { labels, language, group, isGray } = sample;
  const why = whyUnread(sample);
  return (
    <div className={layout.stack}>
      {why === undefined ? <MarkedText {...pieceOf(sample)} /> : <span className={layout.dim}>{why}</span>}
      <div className={layout.row}>
        <Labels labels={labels} />
        {isGray && <Badge tone="notice">{en.datasets.gray}</Badge>}
        <Since since={since} />
        {language !== undefined && <span className={layout.dim}>{language}</span>}
        {group !== undefined && <span className={layout.dim}>{texts.ofGroup(group)}</span>}
        <Source sample={sample} />
        <Button kind="quiet" aria-label={en.datasets.readOf(nameOf(sample))} onClick={() => setRead(true)}>
          {en.datasets.read}
        </Button>
      </div>
      {isRead && (
        <SampleReader
          sample={sample}
          stage={stageName(sample.stage)}
          expected={sample.expectedOutcome === undefined ? undefined : outcomeName(sample.expectedOutcome)}
          {...(sample.source === undefined ? {} : { source: <Source sample={sample} /> })}
          {...(since === "same" ? {} : { note: <p>{texts.sinceTexts[since]}</p> })}
          onClose={() => setRead(false)}
        />
      )}
    </div>
  );
}

/** What has become of it, where the newest version of the dataset does not have it as it was measured. */
function Since({ since }: { readonly since: SinceThen }) {
  if (since === "same") return null;
  return (
    <Badge tone="notice" title={texts.sinceTexts[since]}>
      {texts.since[since]}
    </Badge>
  );
}

function Source({ sample: { source } }: { readonly sample: Sample }) {
  const { orgId } = useOrganization();
  if (source === undefined) return null;
  return (
    <Link to="/o/$org/traces/$trace" params={{ org: orgId, trace: source.traceId }}>
      {en.datasets.sourceTrace}
    </Link>
  );
}
