import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useState } from "react";
import type { UsageShare } from "../../../gen/policyguard/control/v1/billing_pb.ts";
import { BillingService } from "../../../gen/policyguard/control/v1/billing_service_pb.ts";
import { useProjects } from "../../data/choice/project.ts";
import { useOrganization } from "../../data/organization.ts";
import { saveFile } from "../../data/rest.ts";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Select } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { Answered, Failed } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count, share } from "../../text/format.ts";
import style from "./billing.module.css";

const texts = en.billing;
const { method } = BillingService;
const maxShown = 20;

/** What caused the use of this month. */
export function Breakdown() {
  const { orgId } = useOrganization();
  const { projects } = useProjects();
  const [by, setBy] = useState("project");
  const query = useQuery(
    method.getBreakdown,
    { orgId, groupBy: by === "environment" ? ["project", "environment"] : [by] },
    { placeholderData: keepPreviousData },
  );
  const projectName = (id: string) => projects.find((project) => project.id === id)?.name ?? id;
  return (
    <Panel title={texts.breakdown} text={texts.breakdownText} actions={<Download />}>
      <search className={layout.filters}>
        <Select label={texts.by} value={by} onChange={({ target }) => setBy(target.value)}>
          {Object.entries(texts.dimensions).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Select>
      </search>
      <Answered query={query} rows={3}>
        {({ breakdown }) => (
          <>
            {breakdown.length === 0 && <p className={layout.dim}>{texts.noUsage}</p>}
            <ul className={style.bars}>
              {breakdown.slice(0, maxShown).map((part) => (
                <Bar key={nameOf(part, projectName)} name={nameOf(part, projectName)} part={part} />
              ))}
            </ul>
            {breakdown.length > maxShown && <p className={layout.dim}>{texts.rest(breakdown.length - maxShown)}</p>}
          </>
        )}
      </Answered>
    </Panel>
  );
}

function nameOf({ projectId, environment, agentId, stage, day }: UsageShare, projectName: (id: string) => string) {
  const agent = agentId === "" ? texts.noAgent : agentId === "~other" ? texts.otherAgents : agentId;
  const parts = [projectId && projectName(projectId), environment, agent, stage, day];
  return parts.filter((part) => part !== undefined && part !== "").join(" / ");
}

function Bar({ name, part }: { readonly name: string; readonly part: UsageShare }) {
  return (
    <li>
      <svg className={style.bar} viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect width={part.share * 100} height={1} />
      </svg>
      <span className={style.barName}>{name}</span>
      <span className={style.barValue}>
        {count(part.evaluations)} <span className={layout.dim}>{share(part.share)}</span>
      </span>
    </li>
  );
}

function Download() {
  const { orgId } = useOrganization();
  const { run, isBusy, error } = useBusy();
  const save = () => run(() => saveFile(`/v1/billing/usage/export?org_id=${orgId}`, "usage.csv"));
  return (
    <>
      {error !== undefined && <Failed error={error} />}
      <Button disabled={isBusy} onClick={save}>
        {texts.download}
      </Button>
    </>
  );
}

/** The use of the last twelve months, or of this month's days. */
export function History() {
  const { orgId } = useOrganization();
  const [granularity, setGranularity] = useState("month");
  const query = useQuery(method.listUsage, { orgId, granularity }, { placeholderData: keepPreviousData });
  return (
    <Panel title={texts.history}>
      <search className={layout.filters}>
        <Select label={texts.by} value={granularity} onChange={({ target }) => setGranularity(target.value)}>
          {Object.entries(texts.periods).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Select>
      </search>
      <Answered query={query} rows={3}>
        {({ usage }) =>
          usage.length === 0 ? (
            <p className={layout.dim}>{texts.noUsage}</p>
          ) : (
            <Table
              label={texts.history}
              rows={usage.toReversed()}
              keyOf={({ period }) => period}
              columns={[
                { title: texts.period, cell: ({ period }) => period },
                { title: texts.used, isNumber: true, phone: "end", cell: ({ evaluations }) => count(evaluations) },
                {
                  title: texts.playground,
                  isNumber: true,
                  phone: "named",
                  cell: ({ playgroundEvaluations }) => count(playgroundEvaluations),
                },
                {
                  title: texts.overage,
                  isNumber: true,
                  phone: "named",
                  cell: ({ overageEvaluations }) => count(overageEvaluations),
                },
              ]}
            />
          )
        }
      </Answered>
    </Panel>
  );
}
