import { createQueryOptions, useQuery } from "@connectrpc/connect-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { OutputSchema } from "../../../gen/policyguard/control/v1/output_schema_pb.ts";
import { OutputSchemaService } from "../../../gen/policyguard/control/v1/output_schema_service_pb.ts";
import { queryClient } from "../../data/client.ts";
import { draftKey, keepDraft, readDraft } from "../../data/draft.ts";
import { failureOf } from "../../data/failure.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { transport } from "../../data/transport.ts";
import { CodeEditor, type EditorHandle } from "../../editor/code-editor.tsx";
import { ConflictDialog } from "../../editor/conflict-dialog.tsx";
import { Ago } from "../../part/ago.tsx";
import { Badge } from "../../part/badge.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Facts } from "../../part/facts.tsx";
import { useLatest } from "../../part/latest.ts";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered, Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { useParsed } from "./parsed.ts";
import style from "./schema.module.css";
import { TryOutput } from "./try.tsx";
import { SchemaUsagePanel } from "./usage.tsx";

const texts = en.schemas;
const { method } = OutputSchemaService;

/** One schema: its text, outputs that are tried against it, and the bundles that contain it. */
export function SchemaPage() {
  const { orgId } = useOrganization();
  const { schema: schemaId } = useParams({ from: "/o/$org/schemas/$schema" });
  const query = useQuery(method.getOutputSchema, { orgId, schemaId });
  const schema = query.data?.schema;
  if (schema !== undefined) return <Editing key={schema.id} stored={schema} />;
  return (
    <Page title={texts.schema}>
      <Answered query={query} rows={12}>
        {() => null}
      </Answered>
    </Page>
  );
}

function textOf({ schema }: OutputSchema): string {
  return `${JSON.stringify(schema ?? {}, null, 2)}\n`;
}

function Editing({ stored }: { readonly stored: OutputSchema }) {
  const { orgId, accountId, can } = useOrganization();
  const key = draftKey(accountId, orgId, `schema/${stored.id}`);
  const [kept] = useState(() => readDraft(key));
  /** What the edit began from; it stays while somebody else saves. */
  const [base, setBase] = useState(() => ({ version: kept?.version ?? stored.version, text: textOf(stored) }));
  const [initialText] = useState(kept?.text ?? base.text);
  const [text, setText] = useState(initialText);
  const [editor, setEditor] = useState<EditorHandle>();
  const [theirs, setTheirs] = useState<OutputSchema>();
  const { run, isBusy, error } = useBusy();
  const { parsed, problems } = useParsed(text);
  const mayWrite = can(method.updateOutputSchema);
  const isChanged = text !== base.text;
  const change = (next: string) => {
    setText(next);
    keepDraft(key, next === base.text ? undefined : { text: next, version: base.version });
  };
  const latest = useLatest(text);
  const settle = (schema: OutputSchema) => {
    const typed = latest.current === text ? undefined : { text: latest.current, version: schema.version };
    keepDraft(key, typed);
    setBase({ version: schema.version, text: textOf(schema) });
    if (typed === undefined) editor?.setText(textOf(schema));
    setTheirs(undefined);
  };
  /** Goes on from the version that the switch made of the one that the edit began from. */
  const follow = (was: number, version: number) => {
    if (base.version === was) setBase({ ...base, version });
    if (base.version === was && isChanged) keepDraft(key, { text, version });
  };
  const save = (expectedVersion: number) =>
    run(async () => {
      if (parsed.problem !== undefined) return;
      const change = { orgId, schemaId: stored.id, schema: parsed.schema, expectedVersion };
      try {
        settle((await perform(method.updateOutputSchema, change)).schema ?? stored);
      } catch (failure) {
        setTheirs(await theirsAfter(failure, stored));
      }
    });
  return (
    <Page
      title={stored.name}
      note={<Note version={base.version} isChanged={isChanged} isRestored={kept !== undefined} />}
      actions={
        mayWrite && (
          <>
            {isChanged && <Button onClick={() => editor?.setText(base.text)}>{en.edit.discard}</Button>}
            <Switch stored={stored} onSwitched={follow} />
            <Save isOff={isBusy || !isChanged} problem={parsed.problem} onSave={() => save(base.version)} />
          </>
        )
      }
    >
      {error !== undefined && theirs === undefined && <Failed error={error} />}
      <div className={style.columns}>
        <div>
          <div className={style.editor}>
            <CodeEditor
              {...{ initialText, problems }}
              label={texts.document}
              isReadOnly={!mayWrite}
              keys={{ save: () => mayWrite && isChanged && save(base.version) }}
              onChange={change}
              handle={setEditor}
            />
          </div>
          {parsed.problem !== undefined && <p role="status">{texts.problem(parsed.problem)}</p>}
        </div>
        <Side stored={stored} />
      </div>
      {theirs !== undefined && (
        <ConflictDialog
          {...{ isBusy, error }}
          title={en.policy.conflict}
          text={en.policy.conflictText(theirs.version, base.version)}
          theirs={textOf(theirs)}
          mine={text}
          keep={en.policy.keepMine(theirs.version)}
          onTake={() => settle(theirs)}
          onKeep={() => save(theirs.version)}
          onClose={() => setTheirs(undefined)}
        />
      )}
    </Page>
  );
}

function Save({
  isOff,
  problem,
  onSave,
}: {
  readonly isOff: boolean;
  readonly problem: unknown;
  readonly onSave: () => void;
}) {
  return (
    <Button
      kind="primary"
      hotkey="save"
      disabled={isOff}
      why={problem === undefined ? undefined : texts.noJson}
      onClick={onSave}
    >
      {en.common.save}
    </Button>
  );
}

function Note({
  version,
  isChanged,
  isRestored,
}: {
  readonly version: number;
  readonly isChanged: boolean;
  readonly isRestored: boolean;
}) {
  return (
    <>
      {en.common.version(version)} · {isChanged ? en.policy.draft : en.policy.saved}
      {isRestored && isChanged && <span role="status"> · {en.edit.restored}</span>}
    </>
  );
}

function Side({ stored }: { readonly stored: OutputSchema }) {
  return (
    <div className={layout.stack}>
      <About stored={stored} />
      <TryOutput schemaId={stored.id} />
      <SchemaUsagePanel name={stored.name} />
    </div>
  );
}

/** The schema as somebody else has just saved it. */
async function theirsAfter(failure: unknown, { orgId, id }: OutputSchema): Promise<OutputSchema | undefined> {
  if (failureOf(failure).kind !== "version_conflict") throw failure;
  const options = createQueryOptions(method.getOutputSchema, { orgId, schemaId: id }, { transport });
  return (await queryClient.fetchQuery({ ...options, staleTime: 0 })).schema;
}

function About({ stored: { description, enabled, createdAt, updatedAt } }: { readonly stored: OutputSchema }) {
  return (
    <Panel title={texts.about} text={description}>
      <Facts
        facts={[
          [
            texts.state,
            <Badge key="state" tone={enabled ? "good" : "notice"}>
              {enabled ? texts.on : texts.off}
            </Badge>,
          ],
          [texts.since, <Ago key="since" time={createdAt} />],
          [texts.changed, <Ago key="changed" time={updatedAt} />],
        ]}
      />
    </Panel>
  );
}

/** Puts the saved schema into the bundles of the future, or leaves it out of them. */
function Switch({
  stored: { id: schemaId, orgId, schema, version, enabled },
  onSwitched,
}: {
  readonly stored: OutputSchema;
  /** Told the version that was switched and the one that came of it. */
  readonly onSwitched: (was: number, is: number) => void;
}) {
  const { run, isBusy, error } = useBusy();
  const change = { orgId, schemaId, schema: schema ?? {}, enabled: !enabled, expectedVersion: version };
  return (
    <>
      {error !== undefined && <Failed error={error} />}
      <Button
        disabled={isBusy}
        onClick={() =>
          run(async () => {
            const answer = await perform(method.updateOutputSchema, change);
            if (answer.schema !== undefined) onSwitched(version, answer.schema.version);
          })
        }
      >
        {enabled ? texts.disable : texts.enable}
      </Button>
    </>
  );
}
