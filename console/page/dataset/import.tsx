import { callUnaryMethod } from "@connectrpc/connect-query";
import { type ClipboardEvent, type DragEvent, type FormEvent, useEffect, useRef, useState } from "react";
import type { DatasetImport } from "../../../gen/policyguard/control/v1/dataset_import_pb.ts";
import type { SampleProblem } from "../../../gen/policyguard/control/v1/dataset_sample_pb.ts";
import { DatasetService } from "../../../gen/policyguard/control/v1/dataset_service_pb.ts";
import { safeName } from "../../data/file-name.ts";
import { invalidate } from "../../data/invalidation.ts";
import { saveFile } from "../../data/rest.ts";
import { transport } from "../../data/transport.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Select, TextArea, TextField } from "../../part/field.tsx";
import { useUnsavedWhile } from "../../part/form/unsaved.ts";
import { textsOf } from "../../part/form.ts";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { Failed } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { share, size } from "../../text/format.ts";
import style from "./dataset.module.css";
import { pastedFile } from "./pasted.ts";
import { upload } from "./upload.ts";

const texts = en.datasets;
const { method } = DatasetService;
const maxShown = 20;
/** What one import takes; the server refuses more. */
const maxImportBytes = 256 * 2 ** 20;
/** What pages send, as they save no larger files either; the command sends the rest. */
const maxSentBytes = 50_000_000;

interface Place {
  readonly orgId: string;
  readonly datasetId: string;
}

/** Brings the records of a file into the dataset, as one version. */
export function Import(place: Place) {
  const [file, setFile] = useState<File>();
  const { start, stop, sent, done, mapping, setMapping, isBusy, error } = useImport(place);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const [first] = event.dataTransfer.files;
    if (first !== undefined) setFile(first);
  };
  const paste = (event: ClipboardEvent) => {
    // What is pasted into the mapping belongs there.
    if (event.target instanceof HTMLTextAreaElement) return;
    const pasted = pastedFile(event.clipboardData.files, event.clipboardData.getData("text/plain"));
    if (pasted !== undefined) setFile(pasted);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (file !== undefined) start(file, textsOf(event.currentTarget)("duplicate"));
  };
  return (
    <Panel title={texts.importTitle} text={texts.importText}>
      <form
        className={style.drop}
        onSubmit={submit}
        onDragOver={(event) => event.preventDefault()}
        onDrop={drop}
        onPaste={paste}
      >
        <TextField
          label={texts.file}
          hint={file === undefined ? texts.drop : texts.chosen(file.name, size(file.size))}
          fault={file && whyNotSent(file, place.datasetId)}
          type="file"
          accept=".jsonl,.csv,.json,.gz"
          onChange={({ target }) => setFile(target.files?.[0])}
        />
        <Select label={texts.duplicates} name="duplicate">
          {Object.entries(texts.duplicateActions).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Select>
        <TextArea
          label={texts.mapping}
          hint={texts.mappingHint}
          rows={2}
          spellCheck={false}
          value={mapping}
          onChange={({ target }) => setMapping(target.value)}
        />
        <div className={layout.row}>
          <Button
            type="submit"
            kind="primary"
            disabled={isBusy || file === undefined || whyNotSent(file, place.datasetId) !== undefined}
          >
            {texts.import}
          </Button>
          {sent !== undefined && (
            <>
              <Button onClick={stop}>{texts.cancelUpload}</Button>
              <span role="status">{sent < 1 ? texts.importing(share(sent)) : texts.reading}</span>
            </>
          )}
        </div>
      </form>
      {error !== undefined && <Failed error={error} />}
      {done !== undefined && <Outcome place={place} done={done} />}
    </Panel>
  );
}

/** Sends one file at a time. A mapping that no import has used, and a file on its way, are asked about before they go. */
function useImport(place: Place) {
  const [sent, setSent] = useState<number>();
  const [done, setDone] = useState<DatasetImport>();
  const [mapping, setMapping] = useState("");
  const [usedMapping, setUsedMapping] = useState("");
  const call = useRef<AbortController>(undefined);
  const stop = () => call.current?.abort();
  const { run, isBusy, error } = useBusy();
  useUnsavedWhile((mapping.trim() !== "" && mapping !== usedMapping) || sent !== undefined);
  useEffect(() => () => call.current?.abort(), []);
  const start = (file: File, onDuplicate: string) => {
    const aborted = new AbortController();
    call.current = aborted;
    setDone(undefined);
    setSent(0);
    run(async () => {
      try {
        const what = { ...place, file, onDuplicate, mapping };
        const importId = await upload(what, { onSent: setSent, signal: aborted.signal });
        setUsedMapping(mapping);
        setDone((await callUnaryMethod(transport, method.getImport, { ...place, importId })).import);
      } catch (failure) {
        if (!aborted.signal.aborted) throw failure;
      } finally {
        setSent(undefined);
        await invalidate(method.importSamples);
      }
    });
  };
  return { start, stop, sent, done, mapping, setMapping, isBusy, error };
}

/** Why a page does not send the file; undefined when it does. */
function whyNotSent(file: File, datasetId: string): string | undefined {
  if (file.size > maxImportBytes) return texts.tooLarge(file.name, size(maxImportBytes));
  const command = `policy-guard datasets import ${datasetId} ${safeName(file.name)}`;
  return file.size > maxSentBytes ? texts.tooLargeHere(size(maxSentBytes), command) : undefined;
}

/** What came of an import, with the records that were refused. */
function Outcome({ place: { orgId, datasetId }, done }: { readonly place: Place; readonly done: DatasetImport }) {
  const { run, isBusy, error } = useBusy();
  const path = `/v1/orgs/${orgId}/datasets/${datasetId}/imports/${done.id}/errors`;
  return (
    <div className={layout.stack} role="status">
      <p>
        {done.error !== undefined
          ? texts.importFailed(done.error.message)
          : done.version === undefined
            ? texts.importedNothing
            : texts.imported(done.version)}{" "}
        {texts.importCounts(done)}
      </p>
      {done.errors.length > 0 && (
        <>
          <Problems problems={done.errors.slice(0, maxShown)} />
          <div className={layout.row}>
            <Button disabled={isBusy} onClick={() => run(() => saveFile(path, "refused.csv"))}>
              {texts.downloadProblems}
            </Button>
          </div>
        </>
      )}
      {error !== undefined && <Failed error={error} />}
    </div>
  );
}

function Problems({ problems }: { readonly problems: readonly SampleProblem[] }) {
  return (
    <Table
      label={texts.problems}
      rows={problems}
      keyOf={({ line, column, field, code }) => `${line} ${column} ${field} ${code}`}
      columns={[
        { title: texts.line, isNumber: true, cell: ({ line }) => line },
        { title: texts.field, isExtra: true, cell: ({ field }) => field ?? en.common.none },
        { title: texts.problem, cell: ({ message }) => message },
      ]}
    />
  );
}
