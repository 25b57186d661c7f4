import { useQuery } from "@connectrpc/connect-query";
import { Link, useParams } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Policy } from "../../../gen/policyguard/control/v1/policy_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { sourceOf } from "../../data/document.ts";
import { type Draft, draftKey, keepDraft, readDraft } from "../../data/draft.ts";
import { useOrganization } from "../../data/organization.ts";
import { useScopeText } from "../../data/scope.ts";
import type { EditorHandle } from "../../editor/code-editor.tsx";
import { Button } from "../../part/button.tsx";
import { useLatest } from "../../part/latest.ts";
import { Page } from "../../part/page.tsx";
import { useGoOn } from "../../part/shown.ts";
import { Failed, Loading } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { DeletePolicyDialog } from "./delete.tsx";
import style from "./policy.module.css";
import { type Base, SaveDialog } from "./save.tsx";
import { Workbench } from "./workbench.tsx";

const texts = en.policy;

/** The workbench of a stored policy. */
export function PolicyPage() {
  const { orgId } = useOrganization();
  const { policy: policyId } = useParams({ from: "/o/$org/policies/$policy" });
  const { data, error, refetch } = useQuery(PolicyService.method.getPolicy, { orgId, policyId });
  // What is typed stays on the page when the policy cannot be loaded anew.
  if (data?.policy !== undefined) return <Begun key={policyId} policy={data.policy} />;
  return (
    <Page title={en.policies.title}>
      {error === null ? <Loading rows={12} /> : <Failed error={error} onRetry={refetch} />}
    </Page>
  );
}

/** On a phone the editor opens read-only: a touch that was meant to scroll changes no policy. */
function isWide(): boolean {
  return !matchMedia("(max-width: 720px)").matches;
}

/** The workbench, once it has the version that the unsaved text began from: by now, that may not be the newest. */
function Begun({ policy }: { readonly policy: Policy }) {
  const { orgId, accountId } = useOrganization();
  const [kept] = useState(() => readDraft(draftKey(accountId, orgId, policy.id)));
  const [isOther] = useState(kept !== undefined && kept.version !== policy.version);
  const query = useQuery(
    PolicyService.method.getPolicyVersion,
    { orgId, policyId: policy.id, version: kept?.version ?? 0 },
    { enabled: isOther },
  );
  const begun = isOther ? query.data?.version : policy;
  if (begun !== undefined)
    return <Editing policy={policy} kept={kept} start={{ version: begun.version, text: sourceOf(begun) }} />;
  return (
    <Page title={policy.name}>
      {query.error === null ? <Loading rows={12} /> : <Failed error={query.error} onRetry={query.refetch} />}
    </Page>
  );
}

function Editing({
  policy,
  kept,
  start,
}: {
  readonly policy: Policy;
  readonly kept: Draft | undefined;
  /** What the text began from. */
  readonly start: Base;
}) {
  const { orgId, accountId, can } = useOrganization();
  const navigate = useGoOn();
  const scopeText = useScopeText();
  const key = draftKey(accountId, orgId, policy.id);
  const [base, setBase] = useState(start);
  const [initialText] = useState(kept?.text ?? base.text);
  const [text, setText] = useState(initialText);
  const [editor, setEditor] = useState<EditorHandle>();
  const [dialog, setDialog] = useState<"save" | "delete">();
  const [isOpened, setOpened] = useState(isWide);
  const mayWrite = can(PolicyService.method.updatePolicy);
  const isChanged = text !== base.text;
  const change = (next: string) => {
    setText(next);
    keepDraft(key, next === base.text ? undefined : { text: next, version: base.version });
  };
  const latest = useLatest(text);
  /** Goes on from what is stored now; what was typed while it was saved, the dialog closed, is a change of that. */
  const saved = (stored: Policy) => {
    const [source, typed] = [sourceOf(stored), latest.current];
    const isTyped = typed !== text;
    keepDraft(key, isTyped ? { text: typed, version: stored.version } : undefined);
    setBase({ version: stored.version, text: source });
    if (!isTyped && source !== typed) editor?.setText(source);
    setDialog(undefined);
  };
  // Somebody else saved, and nothing is typed here: what is called saved is what is stored.
  useEffect(() => {
    if (policy.version <= base.version || latest.current !== base.text) return;
    setBase({ version: policy.version, text: sourceOf(policy) });
    editor?.setText(sourceOf(policy));
  }, [policy, base, editor, latest]);
  return (
    <Page
      title={policy.name}
      note={
        <span className={style.note}>
          {en.common.version(base.version)} · {isChanged ? texts.draft : texts.saved} · {scopeText(policy.scope)}
          {kept !== undefined && isChanged && <span role="status"> · {texts.restored}</span>}
        </span>
      }
      actions={
        <>
          <Link to="/o/$org/policies/$policy/versions" params={{ org: orgId, policy: policy.id }}>
            {texts.versions}
          </Link>
          {mayWrite && !isOpened && <Button onClick={() => setOpened(true)}>{texts.edit}</Button>}
          {mayWrite && isChanged && <Button onClick={() => editor?.setText(base.text)}>{texts.discard}</Button>}
          {can(PolicyService.method.deletePolicy) && (
            <Button kind="danger" onClick={() => setDialog("delete")}>
              {texts.delete}
            </Button>
          )}
          {mayWrite && (
            <Button kind="primary" disabled={!isChanged} onClick={() => setDialog("save")} hotkey="save">
              {texts.save}
            </Button>
          )}
        </>
      }
    >
      <Workbench
        orgId={orgId}
        text={text}
        initialText={initialText}
        policy={{ policyId: policy.id, version: base.version, projectId: policy.scope?.appId }}
        isReadOnly={!mayWrite || !isOpened}
        // Kept for later, it would come up in the middle of a word.
        keys={{ save: () => isChanged && setDialog("save") }}
        onChange={change}
        handle={setEditor}
      />
      {dialog === "save" && isChanged && mayWrite && (
        <SaveDialog policyId={policy.id} base={base} text={text} onSaved={saved} onClose={() => setDialog(undefined)} />
      )}
      {dialog === "delete" && (
        <DeletePolicyDialog
          policy={policy}
          onClose={() => setDialog(undefined)}
          onDeleted={() => {
            keepDraft(key, undefined);
            navigate({ to: "/o/$org/policies", params: { org: orgId } });
          }}
        />
      )}
    </Page>
  );
}
