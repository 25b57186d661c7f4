import { callUnaryMethod, useQuery } from "@connectrpc/connect-query";
import { useParams } from "@tanstack/react-router";
import { useRef, useState } from "react";
import type { List } from "../../../gen/policyguard/control/v1/list_pb.ts";
import { ListService } from "../../../gen/policyguard/control/v1/list_service_pb.ts";
import { type Draft, draftKey, keepDraft, readDraft } from "../../data/draft.ts";
import { failureOf } from "../../data/failure.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { useScopeText } from "../../data/scope.ts";
import { transport } from "../../data/transport.ts";
import { Ago } from "../../part/ago.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { LineConflict } from "../../part/edit/line-conflict.tsx";
import { Facts } from "../../part/facts.tsx";
import { TextArea } from "../../part/field.tsx";
import { linesOf } from "../../part/form.ts";
import layout from "../../part/layout/layout.module.css";
import { Page } from "../../part/page.tsx";
import { Panel } from "../../part/panel.tsx";
import { useGoOn } from "../../part/shown.ts";
import { Answered, Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { itemLines } from "./items.ts";

const texts = en.lists;
const { method } = ListService;

/** One list: where it is read, and its items. */
export function ListPage() {
  const { orgId } = useOrganization();
  const { list: listId } = useParams({ from: "/o/$org/lists/$list" });
  const query = useQuery(method.getList, { orgId, listId });
  const list = query.data?.list;
  return (
    <Page
      title={list?.name ?? texts.list}
      note={list && en.edit.items(list.itemCount)}
      actions={list && <Delete list={list} />}
    >
      <Answered query={query}>
        {() =>
          list && (
            <>
              <About list={list} />
              <Items key={list.id} stored={list} />
            </>
          )
        }
      </Answered>
    </Page>
  );
}

function About({ list: { name, description, scope, revision, updatedAt } }: { readonly list: List }) {
  const scopeText = useScopeText();
  return (
    <Panel title={texts.about} text={description}>
      <Facts
        facts={[
          [texts.readAs, <code key="name">{`lists.${name}`}</code>],
          [texts.scope, scopeText(scope)],
          [
            texts.revision,
            <span key="revision">
              {revision}, <Ago time={updatedAt} />
            </span>,
          ],
        ]}
      />
    </Panel>
  );
}

function Items({ stored }: { readonly stored: List }) {
  const { accountId, orgId, can } = useOrganization();
  const key = draftKey(accountId, orgId, `list/${stored.id}`);
  const [kept] = useState(() => readDraft(key));
  const [edited, setEdited] = useState<Draft | undefined>(kept);
  const [isSaved, setSaved] = useState(false);
  const { run, isBusy, error } = useBusy();
  const storedText = stored.items.join("\n");
  const { lines, repeated, fault } = itemLines(edited?.text ?? storedText);
  const latest = useRef(edited);
  const set = (draft: Draft | undefined) => {
    latest.current = draft;
    setEdited(draft);
    keepDraft(key, draft);
  };
  const change = (text: string) => {
    setSaved(false);
    set(text === storedText ? undefined : { text, version: edited?.version ?? stored.revision });
  };
  const save = (expectedRevision: number) =>
    run(async () => {
      try {
        const { list } = await perform(method.updateList, {
          ...{ orgId, listId: stored.id, items: lines, expectedRevision },
        });
        // What was typed while it was saved is a change of what is stored now.
        const typed = latest.current === edited ? undefined : latest.current;
        set(typed && { text: typed.text, version: list?.revision ?? expectedRevision });
        setSaved(typed === undefined);
      } catch (failure) {
        if (failureOf(failure).kind !== "version_conflict") throw failure;
        await invalidate(method.updateList);
      }
    });
  // Items of the API may be more than lines; the text would change them.
  const asLines = linesOf(storedText);
  const isPlain = asLines.length === stored.items.length && asLines.every((line, at) => line === stored.items[at]);
  const mayEdit = can(method.updateList) && isPlain;
  const hasConflict = edited !== undefined && edited.version !== stored.revision && !isBusy;
  return (
    <Panel title={texts.items} text={texts.effect}>
      {!isPlain && <p>{texts.notPlain}</p>}
      <TextArea
        label={texts.itemsOf(stored.name)}
        hint={`${en.edit.items(lines.length)}${repeated === 0 ? "" : `, ${texts.repeated(repeated)}`}`}
        fault={fault}
        rows={14}
        spellCheck={false}
        readOnly={!mayEdit}
        value={edited?.text ?? storedText}
        onChange={({ target }) => change(target.value)}
      />
      {kept !== undefined && edited !== undefined && <p role="status">{en.edit.restored}</p>}
      {error !== undefined && <Failed error={error} />}
      {isSaved && <p role="status">{texts.saved}</p>}
      {hasConflict && (
        <LineConflict
          text={texts.conflictText(stored.revision, edited.version)}
          theirs={stored.items}
          mine={lines}
          onTake={() => set(undefined)}
          onKeep={() => save(stored.revision)}
        />
      )}
      {edited !== undefined && !hasConflict && mayEdit && (
        <div className={layout.row}>
          <Button kind="primary" disabled={isBusy} why={fault} onClick={() => save(edited.version)}>
            {texts.save}
          </Button>
          <Button disabled={isBusy} onClick={() => set(undefined)}>
            {en.edit.discard}
          </Button>
          <span className={layout.dim}>{en.edit.unsaved}</span>
        </div>
      )}
    </Panel>
  );
}

function Delete({ list: { id: listId, orgId, name } }: { readonly list: List }) {
  const { can } = useOrganization();
  const navigate = useGoOn();
  const [isAsking, setAsking] = useState(false);
  if (!can(method.deleteList)) return null;
  return (
    <>
      <Button onClick={() => setAsking(true)}>{texts.delete}</Button>
      {isAsking && (
        <DeedDialog
          title={texts.deleteTitle(name)}
          text={texts.deleteText}
          deed={texts.confirmDelete}
          isGrave
          onClose={() => setAsking(false)}
          onDo={async () => {
            await callUnaryMethod(transport, method.deleteList, { orgId, listId });
            await navigate({ to: "/o/$org/lists", params: { org: orgId } });
            await invalidate(method.deleteList);
          }}
        />
      )}
    </>
  );
}
