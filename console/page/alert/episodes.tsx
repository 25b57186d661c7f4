import { timestampMs } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { type Alert, AlertState } from "../../../gen/policyguard/control/v1/alert_pb.ts";
import { AlertService } from "../../../gen/policyguard/control/v1/alert_service_pb.ts";
import { useProjects } from "../../data/choice/project.ts";
import { Ago } from "../../part/ago.tsx";
import { Select } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Pager } from "../../part/pager.tsx";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { groupText, valueText } from "./metric.ts";
import { EpisodeState } from "./state.tsx";

const texts = en.alerts;
const pageSize = 20;
const newMs = 30_000;
const states: ReadonlyMap<string, AlertState> = new Map([
  ["firing", AlertState.FIRING],
  ["resolved", AlertState.RESOLVED],
]);

/** What fired, the newest first: of all rules, or of one. */
export function Episodes({ orgId, ruleId }: { readonly orgId: string; readonly ruleId?: string }) {
  const [offset, setOffset] = useState(0);
  const [state, setState] = useState("");
  const wanted = states.get(state);
  const query = useQuery(
    AlertService.method.listAlerts,
    {
      orgId,
      limit: pageSize,
      offset,
      ...(ruleId === undefined ? {} : { ruleId }),
      ...(wanted === undefined ? {} : { state: wanted }),
    },
    { refetchInterval: newMs, placeholderData: keepPreviousData },
  );
  const onFilter = (next: string) => {
    setOffset(0);
    setState(next);
  };
  return (
    <Panel title={texts.history} text={texts.historyText}>
      <search className={layout.filters}>
        <Select label={texts.state} value={state} onChange={({ target }) => onFilter(target.value)}>
          <option value="">{en.common.all}</option>
          <option value="firing">{texts.open}</option>
          <option value="resolved">{texts.over}</option>
        </Select>
      </search>
      <Answered query={query} rows={3}>
        {({ alerts, total }) => (
          <>
            {total === 0 && <p className={layout.dim}>{wanted === undefined ? texts.noAlerts : texts.noMatch}</p>}
            {total > 0 && <List alerts={alerts} isOfOne={ruleId !== undefined} />}
            <Pager offset={offset} size={pageSize} total={total} onMove={setOffset} />
          </>
        )}
      </Answered>
    </Panel>
  );
}

function List({ alerts, isOfOne }: { readonly alerts: readonly Alert[]; readonly isOfOne: boolean }) {
  const { projects } = useProjects();
  const nameOf = (id: string) => projects.find((project) => project.id === id)?.name ?? id;
  return (
    <Table
      label={texts.history}
      rows={alerts}
      keyOf={({ id }) => id}
      columns={[
        { title: texts.state, cell: (alert) => <EpisodeState state={alert.state} severity={alert.severity} /> },
        {
          title: isOfOne ? texts.belongs : texts.rule,
          phone: "main",
          cell: ({ orgId, ruleId, ruleName, group }) => (
            <span className={layout.name}>
              {!isOfOne && (
                <Link to="/o/$org/alerts/$rule" params={{ org: orgId, rule: ruleId }}>
                  {ruleName}
                </Link>
              )}
              <span className={layout.small}>{groupText(group, nameOf) ?? texts.whole}</span>
            </span>
          ),
        },
        {
          title: texts.peak,
          isNumber: true,
          phone: "named",
          cell: ({ metric, peakValue, threshold }) =>
            `${peakValue === undefined ? en.common.none : valueText(metric, peakValue)} / ${valueText(metric, threshold)}`,
        },
        { title: texts.began, isNumber: true, phone: "named", cell: ({ firedAt }) => <Ago time={firedAt} /> },
        { title: texts.lasted, isNumber: true, phone: "named", cell: lastedText },
        { title: texts.notified, isNumber: true, phone: "named", cell: ({ notifications }) => notifications },
      ]}
    />
  );
}

function lastedText({ firedAt, resolvedAt }: Alert): string {
  if (firedAt === undefined || resolvedAt === undefined) return texts.stillOpen;
  return texts.minutes(Math.round((timestampMs(resolvedAt) - timestampMs(firedAt)) / 60_000));
}
