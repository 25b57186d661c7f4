import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { callUnaryMethod, useQuery } from "@connectrpc/connect-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { AlertRule } from "../../../gen/policyguard/control/v1/alert_pb.ts";
import { type AlertPreview, AlertService } from "../../../gen/policyguard/control/v1/alert_service_pb.ts";
import { useProjects } from "../../data/choice/project.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { useFeature } from "../../data/plan.ts";
import { stageName } from "../../data/stage.ts";
import { transport } from "../../data/transport.ts";
import { Ago } from "../../part/ago.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Facts } from "../../part/facts.tsx";
import { Select } from "../../part/field.tsx";
import { PlanGate } from "../../part/gate/plan-gate.tsx";
import { LinkButton } from "../../part/link-button.tsx";
import { Page } from "../../part/page.tsx";
import { Panel } from "../../part/panel.tsx";
import { useGoOn } from "../../part/shown.ts";
import { Answered, Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { absolute } from "../../text/format.ts";
import { Episodes } from "./episodes.tsx";
import { conditionText, groupings, metrics, severities, valueText } from "./metric.ts";
import { Preview } from "./preview.tsx";
import { RuleState } from "./state.tsx";

const texts = en.alerts;
const { method } = AlertService;
const newMs = 30_000;
const hourMs = 3_600_000;
const minuteMs = 60_000;

/** One rule: how it stands, what it compares, and its episodes. */
export function AlertRulePage() {
  const { orgId, allows } = useOrganization();
  const { rule: ruleId } = useParams({ from: "/o/$org/alerts/$rule" });
  const gate = useFeature("alerts");
  const query = useQuery(method.getAlertRule, { orgId, ruleId }, { refetchInterval: newMs });
  const [preview, setPreview] = useState<AlertPreview>();
  const rule = query.data?.rule;
  return (
    <Page
      title={rule?.name ?? texts.rule}
      note={rule && <RuleState state={rule.state} />}
      actions={rule && <Deeds rule={rule} isIncluded={gate.isIncluded === true} onTested={setPreview} />}
    >
      <PlanGate gate={gate} what={texts.title} billing={allows("BillingService/GetSummary") ? orgId : undefined} />
      <Answered query={query}>{() => rule && <About rule={rule} />}</Answered>
      {rule !== undefined && preview !== undefined && (
        <Panel title={texts.previewTitle} text={texts.testText}>
          <Preview preview={preview} metric={rule.metric} />
        </Panel>
      )}
      {rule !== undefined && <Episodes orgId={orgId} ruleId={ruleId} />}
    </Page>
  );
}

function About({ rule }: { readonly rule: AlertRule }) {
  const { projects } = useProjects();
  const { filter, notify, metric } = rule;
  const project = projects.find(({ id }) => id === filter?.projectId)?.name ?? filter?.projectId;
  const stage = filter?.stage === undefined ? undefined : stageName(filter.stage);
  const parts = [project, filter?.environment, filter?.agentId, stage, filter?.policy, filter?.ruleId];
  const scope = parts.filter(Boolean).join(" · ");
  const told = [
    notify?.webhooks ? texts.webhooks : "",
    notify !== undefined && notify.memberIds.length > 0 ? texts.members(notify.memberIds.length) : "",
  ].filter((each) => each !== "");
  return (
    <Panel title={texts.condition}>
      <Facts
        facts={[
          [
            texts.metric,
            `${texts.metrics[metrics.nameOf(metric)]} ${conditionText(metric, rule.operator, rule.threshold)}`,
          ],
          [texts.window, texts.minutes(rule.windowMinutes)],
          [texts.value, rule.lastValue === undefined ? texts.noValue : valueText(metric, rule.lastValue)],
          [texts.compared, <Ago key="compared" time={rule.lastEvaluatedAt} />],
          [texts.scope, scope || texts.everything],
          ...(rule.groupBy === undefined
            ? []
            : ([[texts.groupBy, texts.groupings[groupings.nameOf(rule.groupBy)] ?? ""]] as const)),
          [texts.severity, texts.severities[severities.nameOf(rule.severity)]],
          [texts.notify, told.join(", ") || texts.nobody],
          ...(rule.silencedUntil === undefined
            ? []
            : ([[texts.silent, texts.until(absolute(rule.silencedUntil))]] as const)),
        ]}
      />
    </Panel>
  );
}

function Deeds({
  rule,
  isIncluded,
  onTested,
}: {
  readonly rule: AlertRule;
  /** Whether the plan has alert rules: without, a rule can only be read and deleted. */
  readonly isIncluded: boolean;
  readonly onTested: (preview: AlertPreview | undefined) => void;
}) {
  const { orgId, can } = useOrganization();
  const place = { orgId, ruleId: rule.id };
  const { run, isBusy, error } = useBusy();
  const [dialog, setDialog] = useState<"silence" | "delete">();
  const close = () => setDialog(undefined);
  const test = () =>
    run(async () => {
      onTested((await perform(method.testAlertRule, place)).preview);
    });
  const toggle = () =>
    run(async () => {
      await perform(method.updateAlertRule, { ...place, rule: { isEnabled: !rule.isEnabled } });
    });
  const endSilence = () =>
    run(async () => {
      await perform(method.silenceAlertRule, { ...place, until: timestampFromDate(new Date(0)) });
    });
  return (
    <>
      {error !== undefined && <Failed error={error} />}
      {isIncluded && can(method.testAlertRule) && (
        <Button disabled={isBusy} onClick={test}>
          {texts.test}
        </Button>
      )}
      {isIncluded && can(method.silenceAlertRule) && (
        <Button disabled={isBusy} onClick={rule.silencedUntil === undefined ? () => setDialog("silence") : endSilence}>
          {rule.silencedUntil === undefined ? texts.silence : texts.endSilence}
        </Button>
      )}
      {isIncluded && can(method.updateAlertRule) && (
        <>
          <Button disabled={isBusy} onClick={toggle}>
            {rule.isEnabled ? texts.disable : texts.enable}
          </Button>
          <LinkButton kind="plain" to="/o/$org/alerts/$rule/edit" params={{ org: orgId, rule: rule.id }}>
            {texts.edit}
          </LinkButton>
        </>
      )}
      {can(method.deleteAlertRule) && <Button onClick={() => setDialog("delete")}>{texts.delete}</Button>}
      {dialog === "silence" && <SilenceDialog rule={rule} onClose={close} />}
      {dialog === "delete" && <DeleteDialog rule={rule} onClose={close} />}
    </>
  );
}

function SilenceDialog({ rule, onClose }: { readonly rule: AlertRule; readonly onClose: () => void }) {
  return (
    <DeedDialog
      title={texts.silenceTitle(rule.name)}
      text={texts.silenceText}
      deed={texts.confirmSilence}
      onClose={onClose}
      onDo={async (text) => {
        // A minute less, since a clock that is ahead would ask for more than the longest silence.
        const until = timestampFromDate(new Date(Date.now() + Number(text("hours")) * hourMs - minuteMs));
        await perform(method.silenceAlertRule, { orgId: rule.orgId, ruleId: rule.id, until });
      }}
    >
      <Select label={texts.silenceFor} name="hours" defaultValue="4">
        {Object.entries(texts.silences).map(([hours, name]) => (
          <option key={hours} value={hours}>
            {name}
          </option>
        ))}
      </Select>
    </DeedDialog>
  );
}

function DeleteDialog({ rule, onClose }: { readonly rule: AlertRule; readonly onClose: () => void }) {
  const navigate = useGoOn();
  const { orgId, id: ruleId, name } = rule;
  return (
    <DeedDialog
      title={texts.deleteTitle(name)}
      text={texts.deleteText}
      deed={texts.confirmDelete}
      isGrave
      onClose={onClose}
      onDo={async () => {
        await callUnaryMethod(transport, method.deleteAlertRule, { orgId, ruleId });
        await navigate({ to: "/o/$org/alerts", params: { org: orgId } });
        await invalidate(method.deleteAlertRule);
      }}
    />
  );
}
