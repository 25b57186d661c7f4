import { useQuery } from "@connectrpc/connect-query";
import { useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { AlertPreview } from "../../../gen/policyguard/control/v1/alert_service_pb.ts";
import { AlertService } from "../../../gen/policyguard/control/v1/alert_service_pb.ts";
import { failureOf } from "../../data/failure.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { forgetUnsaved, useUnsaved } from "../../part/form/unsaved.ts";
import layout from "../../part/layout/layout.module.css";
import { LinkButton } from "../../part/link-button.tsx";
import { Page } from "../../part/page.tsx";
import { Panel } from "../../part/panel.tsx";
import { useGoOn } from "../../part/shown.ts";
import { Answered, Failed, Refused } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { ConditionFields, NotifyFields, ScopeFields, TimingFields } from "./fields.tsx";
import { formOf, inputOf, newRule, type RuleForm } from "./form.ts";
import { Preview } from "./preview.tsx";

const texts = en.alerts;
const { method } = AlertService;

/** A new rule. */
export function NewAlertRulePage() {
  const { can } = useOrganization();
  return (
    <Page title={texts.newTitle}>
      {can(method.createAlertRule) ? <Editor start={newRule} /> : <Refused needed="admin" />}
    </Page>
  );
}

/** A rule that exists. */
export function EditAlertRulePage() {
  const { orgId, can } = useOrganization();
  const { rule: ruleId } = useParams({ from: "/o/$org/alerts/$rule/edit" });
  const mayEdit = can(method.updateAlertRule);
  const query = useQuery(method.getAlertRule, { orgId, ruleId });
  return (
    <Page title={query.data?.rule?.name ?? texts.editTitle}>
      <Answered query={query}>
        {({ rule }) => rule && (mayEdit ? <Editor start={formOf(rule)} ruleId={ruleId} /> : <Refused needed="admin" />)}
      </Answered>
    </Page>
  );
}

/** The form, and beside it what the rule would have done. */
function Editor({ start, ruleId }: { readonly start: RuleForm; readonly ruleId?: string }) {
  const { orgId } = useOrganization();
  const navigate = useGoOn();
  const [form, setForm] = useState(start);
  const { typed, send } = useUnsaved();
  const [preview, setPreview] = useState<{ readonly of: RuleForm; readonly shown: AlertPreview }>();
  const { run, isBusy, error } = useBusy();
  const faults = error === undefined ? [] : failureOf(error).fields;
  // Faults name fields as the call has them: below the rule.
  const faultOf = (field: string) => faults.find((each) => each.field === `rule.${field}`)?.message;
  const fields = {
    form,
    faultOf,
    onChange: (part: Partial<RuleForm>) => setForm((former) => ({ ...former, ...part })),
  };
  const show = () =>
    run(async () => {
      const rule = inputOf(form, { isChange: false });
      const answer = await perform(method.previewAlertRule, { orgId, rule });
      if (answer.preview !== undefined) setPreview({ of: form, shown: answer.preview });
    });
  const save = (event: FormEvent) => {
    event.preventDefault();
    const store = async () => {
      const rule = inputOf(form, { isChange: ruleId !== undefined });
      const answer =
        ruleId === undefined
          ? await perform(method.createAlertRule, { orgId, rule })
          : await perform(method.updateAlertRule, { orgId, ruleId, rule });
      // Back leads to where the form was opened, and not to the form again.
      await navigate({
        to: "/o/$org/alerts/$rule",
        params: { org: orgId, rule: answer.rule?.id ?? "" },
        replace: true,
      });
    };
    run(() => send(store));
  };
  return (
    <div className={layout.columns}>
      <form onSubmit={save} onChange={typed}>
        <Panel title={texts.rule}>
          <ConditionFields {...fields} />
          <ScopeFields {...fields} />
          <TimingFields {...fields} />
          <NotifyFields {...fields} />
          {error !== undefined && <Failed error={error} />}
          <div className={layout.row}>
            <Button type="submit" kind="primary" disabled={isBusy}>
              {ruleId === undefined ? texts.create : en.common.save}
            </Button>
            <Button disabled={isBusy} onClick={show}>
              {texts.preview}
            </Button>
            <LinkButton kind="quiet" to="/o/$org/alerts" params={{ org: orgId }} onClick={forgetUnsaved}>
              {en.common.cancel}
            </LinkButton>
          </div>
        </Panel>
      </form>
      <Panel title={texts.previewTitle} text={texts.previewText}>
        {preview === undefined && <p className={layout.dim}>{texts.noPreview}</p>}
        {preview !== undefined && preview.of !== form && <p className={layout.dim}>{texts.oldPreview}</p>}
        {preview !== undefined && <Preview preview={preview.shown} metric={preview.of.metric} />}
      </Panel>
    </div>
  );
}
