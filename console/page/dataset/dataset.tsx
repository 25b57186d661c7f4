import { callUnaryMethod, useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { type Dataset, DatasetState } from "../../../gen/policyguard/control/v1/dataset_pb.ts";
import { DatasetService } from "../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { saveFile } from "../../data/rest.ts";
import { transport } from "../../data/transport.ts";
import { Ago } from "../../part/ago.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Facts } from "../../part/facts.tsx";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { useGoOn } from "../../part/shown.ts";
import { Answered, Failed } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import { Import } from "./import.tsx";
import { Samples } from "./samples.tsx";
import { DatasetStateBadge } from "./state.tsx";

const texts = en.datasets;
const { method } = DatasetService;
const busyMs = 2_000;
const maxVersions = 20;

/** One dataset: what it is, its samples, its versions, and the way for more of them. */
export function DatasetPage() {
  const { orgId, can } = useOrganization();
  const { dataset: datasetId } = useParams({ from: "/o/$org/datasets/$dataset" });
  const query = useQuery(
    method.getDataset,
    { orgId, datasetId },
    { refetchInterval: ({ state }) => (state.data?.dataset?.state === DatasetState.IMPORTING ? busyMs : false) },
  );
  const dataset = query.data?.dataset;
  return (
    <Page
      title={dataset?.name ?? texts.title}
      note={dataset && <DatasetStateBadge state={dataset.state} />}
      actions={dataset && <Deeds dataset={dataset} />}
    >
      <Answered query={query}>{() => dataset && <About dataset={dataset} />}</Answered>
      {dataset !== undefined && <Samples dataset={dataset} />}
      {dataset !== undefined && can(method.importSamples) && (
        <Import key={datasetId} orgId={orgId} datasetId={datasetId} />
      )}
      {dataset !== undefined && dataset.version > 0 && <Versions orgId={orgId} datasetId={datasetId} />}
    </Page>
  );
}

function About({ dataset }: { readonly dataset: Dataset }) {
  const { description, sampleCount, version, licence, trainingOverlap, updatedAt } = dataset;
  return (
    <Panel title={texts.about} text={description}>
      <Facts
        facts={[
          [texts.samples, count(sampleCount)],
          [texts.version, en.common.version(version)],
          [texts.licence, licence?.spdx ?? en.common.none],
          [texts.overlap, trainingOverlap === 0 ? texts.noOverlap : texts.overlapOf(trainingOverlap, sampleCount)],
          [texts.changed, <Ago key="changed" time={updatedAt} />],
        ]}
      />
    </Panel>
  );
}

function Deeds({ dataset }: { readonly dataset: Dataset }) {
  const { can } = useOrganization();
  const navigate = useGoOn();
  const { run, isBusy, error } = useBusy();
  const [isAsking, setAsking] = useState(false);
  const { orgId, id: datasetId, name } = dataset;
  const save = () =>
    run(() =>
      saveFile(
        `/v1/orgs/${orgId}/datasets/${datasetId}/export?format=jsonl`,
        `${name}.jsonl`,
        `policy-guard datasets export ${datasetId} --out samples.jsonl`,
      ),
    );
  return (
    <>
      {error !== undefined && <Failed error={error} />}
      {can(method.exportDataset) && dataset.version > 0 && (
        <Button disabled={isBusy} onClick={save}>
          {texts.export}
        </Button>
      )}
      {can(method.deleteDataset) && <Button onClick={() => setAsking(true)}>{texts.delete}</Button>}
      {isAsking && (
        <DeedDialog
          title={texts.deleteTitle(name)}
          text={texts.deleteText}
          deed={texts.confirmDelete}
          isGrave
          onClose={() => setAsking(false)}
          onDo={async () => {
            await callUnaryMethod(transport, method.deleteDataset, { orgId, datasetId });
            await navigate({ to: "/o/$org/datasets", params: { org: orgId } });
            await invalidate(method.deleteDataset);
          }}
        />
      )}
    </>
  );
}

function Versions(place: { readonly orgId: string; readonly datasetId: string }) {
  const [offset, setOffset] = useState(0);
  const query = useQuery(
    method.listDatasetVersions,
    { ...place, limit: maxVersions, offset },
    { placeholderData: keepPreviousData },
  );
  return (
    <Panel title={texts.versions}>
      <Answered query={query} rows={2}>
        {({ versions, total }) => (
          <>
            <Table
              label={texts.versions}
              rows={versions}
              keyOf={({ version }) => String(version)}
              columns={[
                { title: texts.version, cell: ({ version }) => en.common.version(version) },
                { title: texts.samples, isNumber: true, cell: ({ sampleCount }) => count(sampleCount) },
                { title: texts.added, isNumber: true, isExtra: true, cell: ({ added }) => count(added) },
                { title: texts.changedSamples, isNumber: true, isExtra: true, cell: ({ changed }) => count(changed) },
                { title: texts.removed, isNumber: true, isExtra: true, cell: ({ removed }) => count(removed) },
                { title: texts.by, isExtra: true, cell: ({ createdBy }) => createdBy },
                { title: texts.when, isNumber: true, cell: ({ createdAt }) => <Ago time={createdAt} /> },
              ]}
            />
            <Pager offset={offset} size={maxVersions} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
    </Panel>
  );
}
