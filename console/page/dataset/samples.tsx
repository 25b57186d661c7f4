import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Dataset } from "../../../gen/policyguard/control/v1/dataset_pb.ts";
import type { Sample } from "../../../gen/policyguard/control/v1/dataset_sample_pb.ts";
import { DatasetService } from "../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { stageName, stages } from "../../data/stage.ts";
import { Badge } from "../../part/badge.tsx";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Select } from "../../part/field.tsx";
import { MarkedText } from "../../part/judgement/marked-text.tsx";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import { nameOf, pieceOf } from "../../part/judgement/sample-piece.ts";
import { SampleReader, whyUnread } from "../../part/judgement/sample-reader.tsx";
import layout from "../../part/layout/layout.module.css";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import { SampleDialog } from "./sample-form.tsx";

const texts = en.datasets;
const pageSize = 50;
const from = "/o/$org/datasets/$dataset";

/** The samples of the newest version, by label, stage and language. */
export function Samples({ dataset: { id: datasetId, counts, sampleCount } }: { readonly dataset: Dataset }) {
  const { orgId, can } = useOrganization();
  const [deed, setDeed] = useState<SampleDeed>();
  const { label, stage, language } = useSearch({ from });
  const navigate = useNavigate({ from });
  const [offset, setOffset] = useState(0);
  const wanted = stages.find((each) => stageName(each) === stage);
  const query = useQuery(
    DatasetService.method.listSamples,
    {
      orgId,
      datasetId,
      limit: pageSize,
      offset,
      ...(label === undefined ? {} : { label }),
      ...(language === undefined ? {} : { language }),
      ...(wanted === undefined ? {} : { stage: wanted }),
    },
    { placeholderData: keepPreviousData },
  );
  const filter = (part: { readonly label?: string; readonly stage?: string; readonly language?: string }) => {
    setOffset(0);
    navigate({ search: (former) => ({ ...former, ...part }), replace: true });
  };
  return (
    <Panel
      title={texts.samples}
      text={query.data && en.common.total(query.data.total)}
      actions={can(DatasetService.method.addSamples) && <Button onClick={() => setDeed("add")}>{texts.add}</Button>}
    >
      <search className={layout.filters}>
        <Facet
          title={texts.label}
          counts={counts?.label}
          value={label}
          onChoose={(value) => filter({ label: value })}
        />
        <Facet
          title={texts.stage}
          counts={counts?.stage}
          value={stage}
          onChoose={(value) => filter({ stage: value })}
        />
        <Facet
          title={texts.language}
          counts={counts?.language}
          value={language}
          onChoose={(value) => filter({ language: value })}
        />
      </search>
      <Answered query={query}>
        {({ samples, total }) => (
          <>
            {total === 0 && sampleCount === 0 && <p className={layout.dim}>{texts.noSamples}</p>}
            {total === 0 && sampleCount > 0 && (
              <p>
                {texts.noMatch}{" "}
                <Button kind="quiet" onClick={() => navigate({ search: {} })}>
                  {en.traces.clear}
                </Button>
              </p>
            )}
            {total > 0 && <List samples={samples} onDeed={setDeed} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
      {deed !== undefined && (
        <SampleDeedDialog place={{ orgId, datasetId }} deed={deed} onClose={() => setDeed(undefined)} />
      )}
    </Panel>
  );
}

/** What somebody is about to do with a sample. */
type SampleDeed = "add" | { readonly kind: "read" | "edit" | "delete"; readonly sample: Sample };

function SampleDeedDialog({
  place,
  deed,
  onClose,
}: {
  readonly place: { readonly orgId: string; readonly datasetId: string };
  readonly deed: SampleDeed;
  readonly onClose: () => void;
}) {
  if (deed === "add") return <SampleDialog place={place} onClose={onClose} />;
  if (deed.kind === "read") return <Reader sample={deed.sample} onClose={onClose} />;
  if (deed.kind === "edit") return <SampleDialog place={place} sample={deed.sample} onClose={onClose} />;
  return (
    <DeedDialog
      title={texts.deleteSampleTitle}
      text={texts.deleteSampleText}
      deed={texts.confirmDeleteSample}
      isGrave
      onClose={onClose}
      onDo={async () => {
        await perform(DatasetService.method.deleteSample, { ...place, sampleId: deed.sample.id });
      }}
    >
      <MarkedText {...pieceOf(deed.sample)} />
    </DeedDialog>
  );
}

/** A filter by what there is, with how many samples each has; absent where there is nothing to choose. */
function Facet({
  title,
  counts = {},
  value,
  onChoose,
}: {
  readonly title: string;
  readonly counts: Readonly<Record<string, number>> | undefined;
  readonly value: string | undefined;
  readonly onChoose: (value: string) => void;
}) {
  const entries = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  if (entries.length === 0) return null;
  return (
    <Select label={title} value={value ?? ""} onChange={({ target }) => onChoose(target.value)}>
      <option value="">{en.common.all}</option>
      {entries.map(([name, n]) => (
        <option key={name} value={name}>
          {name} ({count(n)})
        </option>
      ))}
    </Select>
  );
}

function List({
  samples,
  onDeed,
}: {
  readonly samples: readonly Sample[];
  readonly onDeed: (deed: SampleDeed) => void;
}) {
  const { can } = useOrganization();
  return (
    <Table
      label={texts.samples}
      rows={samples}
      keyOf={({ id }) => id}
      columns={[
        { title: texts.text, cell: (sample) => <Text sample={sample} /> },
        {
          title: texts.labels,
          phone: "below",
          cell: ({ labels, isGray }) => (
            <span className={layout.row}>
              {labels.map((label) => (
                <Badge key={label}>{label}</Badge>
              ))}
              {isGray && <Badge tone="notice">{texts.gray}</Badge>}
            </span>
          ),
        },
        {
          title: texts.expected,
          phone: "named",
          cell: ({ expectedOutcome }) =>
            expectedOutcome === undefined ? en.common.none : <Outcome value={outcomeName(expectedOutcome)} />,
        },
        { title: texts.stage, phone: "below", cell: ({ stage }) => stageName(stage) },
        { title: texts.language, phone: "named", cell: ({ language }) => language ?? en.common.none },
        {
          title: "",
          phone: "deeds",
          isNumber: true,
          cell: (sample) => (
            <span className={`${layout.row} ${layout.end}`}>
              <Button
                kind="quiet"
                aria-label={texts.readOf(nameOf(sample))}
                onClick={() => onDeed({ kind: "read", sample })}
              >
                {texts.read}
              </Button>
              {can(DatasetService.method.updateSample) && (
                <Button
                  kind="quiet"
                  aria-label={texts.editOf(nameOf(sample))}
                  onClick={() => onDeed({ kind: "edit", sample })}
                >
                  {texts.edit}
                </Button>
              )}
              {can(DatasetService.method.deleteSample) && (
                <Button
                  kind="quiet"
                  aria-label={texts.deleteSampleOf(nameOf(sample))}
                  onClick={() => onDeed({ kind: "delete", sample })}
                >
                  {texts.deleteSample}
                </Button>
              )}
            </span>
          ),
        },
      ]}
    />
  );
}

/** What is judged, with what is to be found in it marked. */
function Text({ sample }: { readonly sample: Sample }) {
  const why = whyUnread(sample);
  return (
    <>
      {why !== undefined && <span className={layout.dim}>{why} </span>}
      {why === undefined && <MarkedText {...pieceOf(sample)} />}
      <Source sample={sample} />
    </>
  );
}

function Source({ sample: { source } }: { readonly sample: Sample }) {
  const { orgId } = useOrganization();
  if (source === undefined) return null;
  return (
    <Link to="/o/$org/traces/$trace" params={{ org: orgId, trace: source.traceId }}>
      {texts.sourceTrace}
    </Link>
  );
}

function Reader({ sample, onClose }: { readonly sample: Sample; readonly onClose: () => void }) {
  const { stage, expectedOutcome, source } = sample;
  return (
    <SampleReader
      sample={sample}
      stage={stageName(stage)}
      expected={expectedOutcome === undefined ? undefined : outcomeName(expectedOutcome)}
      {...(source === undefined ? {} : { source: <Source sample={sample} /> })}
      onClose={onClose}
    />
  );
}
