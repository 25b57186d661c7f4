import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import {
  type AnnotationMark,
  AnnotationMarkSchema,
  MissingTextAction,
  RedactedTextAction,
} from "../../../gen/policyguard/control/v1/annotation_pb.ts";
import {
  AnnotationService,
  type ExportAnnotationsResponse,
} from "../../../gen/policyguard/control/v1/annotation_service_pb.ts";
import { useDatasets } from "../../data/choice/dataset.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { wireNames } from "../../data/wire-name.ts";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Dialog, DialogActions } from "../../part/dialog.tsx";
import { Select, TextField } from "../../part/field.tsx";
import { FoundChoice } from "../../part/form/found-choice.tsx";
import layout from "../../part/layout/layout.module.css";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";

const texts = en.toDataset;
const markNames = wireNames<AnnotationMark>(AnnotationMarkSchema);
const created = "";

/** Which marked traces, as the call takes it. */
export interface MarkedFilter {
  readonly projectId?: string;
  readonly environment?: string;
  readonly policy?: string;
  readonly ruleId?: string;
}

/** Makes samples of marked traces, after saying what becomes of each mark and how many there are. */
export function ToDatasetDialog({ filter, onClose }: { readonly filter: MarkedFilter; readonly onClose: () => void }) {
  const { orgId } = useOrganization();
  const { datasets = [], further } = useDatasets();
  const [datasetId, setDataset] = useState(created);
  const [done, setDone] = useState<ExportAnnotationsResponse>();
  if (done !== undefined) return <Done done={done} onClose={onClose} />;
  return (
    <DeedDialog
      title={texts.title}
      text={texts.text}
      deed={texts.deed}
      isWide
      staysOpen
      onClose={onClose}
      onDo={async (text) => {
        const to = datasetId === created ? { dataset: { name: text("name") } } : { datasetId };
        const missingText = text("missing") === "signals" ? MissingTextAction.SIGNALS_ONLY : MissingTextAction.SKIP;
        const redacted = text("redacted") === "skip" ? RedactedTextAction.SKIP : RedactedTextAction.INCLUDE;
        const request = { orgId, filter, missingText, redacted, ...to };
        setDone(await perform(AnnotationService.method.exportAnnotations, request));
      }}
    >
      {(faultOf) => (
        <>
          <Mapping filter={filter} />
          <div className={layout.pair}>
            <FoundChoice
              label={texts.dataset}
              choices={[{ id: created, name: texts.newDataset }, ...datasets]}
              further={further}
              value={datasetId}
              onChange={setDataset}
            />
            {datasetId === created && (
              <TextField
                label={en.datasets.name}
                hint={en.datasets.nameHint}
                fault={faultOf("dataset.name")}
                name="name"
                autoComplete="off"
                required
              />
            )}
          </div>
          <div className={layout.pair}>
            <Select label={texts.missing} name="missing">
              <option value="skip">{texts.skip}</option>
              <option value="signals">{texts.signals}</option>
            </Select>
            <Select label={texts.redacted} name="redacted">
              <option value="include">{texts.include}</option>
              <option value="skip">{texts.skip}</option>
            </Select>
          </div>
        </>
      )}
    </DeedDialog>
  );
}

/** What a sample says for each mark, and how many marks the filter has. */
function Mapping({ filter }: { readonly filter: MarkedFilter }) {
  return (
    <Table
      label={texts.mapping}
      rows={markNames.values}
      keyOf={(mark) => markNames.nameOf(mark)}
      columns={[
        { title: texts.mark, cell: (mark) => en.traces.choices[markNames.nameOf(mark)] ?? markNames.nameOf(mark) },
        { title: texts.becomes, cell: (mark) => texts.samples[markNames.nameOf(mark)] },
        { title: texts.marks, isNumber: true, cell: (mark) => <Count filter={filter} mark={mark} /> },
      ]}
    />
  );
}

function Count({ filter, mark }: { readonly filter: MarkedFilter; readonly mark: AnnotationMark }) {
  const { orgId } = useOrganization();
  const request = { orgId, ...filter, mark, resolved: true, limit: 1 };
  const query = useQuery(AnnotationService.method.listAnnotations, request);
  return (
    <Answered query={query} rows={1}>
      {({ total }) => count(total)}
    </Answered>
  );
}

function Done({ done, onClose }: { readonly done: ExportAnnotationsResponse; readonly onClose: () => void }) {
  const { orgId } = useOrganization();
  const { datasetId, exported, duplicates, withoutText, rejected, errors } = done;
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <p role="status">{texts.done(exported, duplicates)}</p>
      {withoutText > 0 && <p>{texts.withoutText(withoutText)}</p>}
      {rejected > 0 && <p>{texts.rejected(rejected, errors[0]?.message ?? "")}</p>}
      <p>
        <Link to="/o/$org/datasets/$dataset" params={{ org: orgId, dataset: datasetId }}>
          {texts.open}
        </Link>
      </p>
      <DialogActions>
        <Button onClick={onClose}>{en.common.close}</Button>
      </DialogActions>
    </Dialog>
  );
}
