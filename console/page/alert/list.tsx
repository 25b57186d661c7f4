import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { AlertRule } from "../../../gen/policyguard/control/v1/alert_pb.ts";
import { AlertService } from "../../../gen/policyguard/control/v1/alert_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { useFeature } from "../../data/plan.ts";
import { Ago } from "../../part/ago.tsx";
import { Badge } from "../../part/badge.tsx";
import { PlanGate } from "../../part/gate/plan-gate.tsx";
import layout from "../../part/layout/layout.module.css";
import { LinkButton } from "../../part/link-button.tsx";
import { NothingYet } from "../../part/onboarding/nothing-yet.tsx";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { Episodes } from "./episodes.tsx";
import { conditionText, metrics, valueText } from "./metric.ts";
import { RuleState } from "./state.tsx";

const texts = en.alerts;
const pageSize = 50;
const newMs = 30_000;

/** The alert rules with their state, and what has fired. */
export function AlertsPage() {
  const { orgId, can, allows } = useOrganization();
  const gate = useFeature("alerts");
  const [offset, setOffset] = useState(0);
  const query = useQuery(
    AlertService.method.listAlertRules,
    { orgId, limit: pageSize, offset },
    { refetchInterval: newMs },
  );
  const create = can(AlertService.method.createAlertRule) && gate.isIncluded === true && (
    <LinkButton hotkey="create" to="/o/$org/alerts/new" params={{ org: orgId }}>
      {texts.newRule}
    </LinkButton>
  );
  return (
    <Page title={texts.title} note={query.data && texts.rules(query.data.total)} actions={create}>
      <PlanGate gate={gate} what={texts.title} billing={allows("BillingService/GetSummary") ? orgId : undefined} />
      <Answered query={query}>
        {({ rules, total }) => (
          <>
            {total === 0 && (
              <NothingYet of="alerts" title={texts.empty} text={texts.emptyText}>
                {create}
              </NothingYet>
            )}
            {total > 0 && <Rules rules={rules} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
            {total > 0 && <Episodes orgId={orgId} />}
          </>
        )}
      </Answered>
    </Page>
  );
}

function Rules({ rules }: { readonly rules: readonly AlertRule[] }) {
  return (
    <Table
      label={texts.label}
      rows={rules}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.name,
          cell: ({ id, orgId, name, metric, operator, threshold }) => (
            <span className={layout.name}>
              <Link to="/o/$org/alerts/$rule" params={{ org: orgId, rule: id }}>
                {name}
              </Link>
              <span className={layout.small}>
                {texts.metrics[metrics.nameOf(metric)]} {conditionText(metric, operator, threshold)}
              </span>
            </span>
          ),
        },
        {
          title: texts.state,
          phone: "end",
          cell: (rule) => (
            <>
              <RuleState state={rule.state} />{" "}
              {rule.silencedUntil !== undefined && <Badge tone="notice">{texts.silent}</Badge>}
            </>
          ),
        },
        {
          title: texts.value,
          isNumber: true,
          phone: "named",
          cell: ({ metric, lastValue }) => (lastValue === undefined ? en.common.none : valueText(metric, lastValue)),
        },
        {
          title: texts.compared,
          isNumber: true,
          phone: "named",
          cell: ({ lastEvaluatedAt }) => <Ago time={lastEvaluatedAt} />,
        },
      ]}
    />
  );
}
