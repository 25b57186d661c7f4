import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Dataset } from "../../../gen/policyguard/control/v1/dataset_pb.ts";
import { DatasetService } from "../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { Ago } from "../../part/ago.tsx";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { TextArea, TextField } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { NothingYet } from "../../part/onboarding/nothing-yet.tsx";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { useGoOn } from "../../part/shown.ts";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import { InstallDialog } from "./install.tsx";
import { DatasetStateBadge } from "./state.tsx";

const texts = en.datasets;
const { method } = DatasetService;
const pageSize = 50;

/** The datasets of the organization. */
export function DatasetsPage() {
  const { orgId, can } = useOrganization();
  const [offset, setOffset] = useState(0);
  const [dialog, setDialog] = useState<"create" | "install">();
  const query = useQuery(method.listDatasets, { orgId, limit: pageSize, offset });
  const close = () => setDialog(undefined);
  const deeds = (
    <>
      {can(method.installDataset) && <Button onClick={() => setDialog("install")}>{texts.install}</Button>}
      {can(method.createDataset) && (
        <Button hotkey="create" kind="primary" onClick={() => setDialog("create")}>
          {texts.create}
        </Button>
      )}
    </>
  );
  return (
    <Page title={texts.title} note={query.data && en.common.total(query.data.total)} actions={deeds}>
      <Answered query={query}>
        {({ datasets, total }) => (
          <>
            {total === 0 && (
              <NothingYet of="datasets" title={texts.empty} text={texts.emptyText}>
                {deeds}
              </NothingYet>
            )}
            {total > 0 && <Datasets datasets={datasets} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
      {dialog === "create" && <CreateDialog onClose={close} />}
      {dialog === "install" && <InstallDialog onClose={close} />}
    </Page>
  );
}

function Datasets({ datasets }: { readonly datasets: readonly Dataset[] }) {
  return (
    <Table
      label={texts.title}
      rows={datasets}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.name,
          cell: ({ id, orgId, name, description }) => (
            <span className={layout.name}>
              <Link to="/o/$org/datasets/$dataset" params={{ org: orgId, dataset: id }}>
                {name}
              </Link>
              {description !== undefined && <span className={layout.small}>{description}</span>}
            </span>
          ),
        },
        { title: texts.state, phone: "end", cell: ({ state }) => <DatasetStateBadge state={state} /> },
        { title: texts.samples, phone: "named", isNumber: true, cell: ({ sampleCount }) => count(sampleCount) },
        { title: texts.version, phone: "below", isNumber: true, cell: ({ version }) => en.common.version(version) },
        { title: texts.changed, phone: "named", isNumber: true, cell: ({ updatedAt }) => <Ago time={updatedAt} /> },
      ]}
    />
  );
}

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const { orgId } = useOrganization();
  const navigate = useGoOn();
  return (
    <DeedDialog
      title={texts.createTitle}
      deed={texts.confirmCreate}
      onClose={onClose}
      onDo={async (text) => {
        const description = text("description").trim();
        const { dataset } = await perform(method.createDataset, {
          orgId,
          name: text("name").trim(),
          ...(description === "" ? {} : { description }),
        });
        await navigate({ to: "/o/$org/datasets/$dataset", params: { org: orgId, dataset: dataset?.id ?? "" } });
      }}
    >
      {(faultOf) => (
        <>
          <TextField
            label={texts.name}
            hint={texts.nameHint}
            name="name"
            autoComplete="off"
            fault={faultOf("name")}
            required
          />
          <TextArea label={texts.description} name="description" fault={faultOf("description")} />
        </>
      )}
    </DeedDialog>
  );
}
