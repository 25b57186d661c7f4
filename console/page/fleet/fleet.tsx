import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Environment } from "../../../gen/policyguard/control/v1/environment_pb.ts";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { ProjectService } from "../../../gen/policyguard/control/v1/project_service_pb.ts";
import {
  type RuntimeCounts,
  type RuntimeInstance,
  RuntimeState,
} from "../../../gen/policyguard/control/v1/runtime_instance_pb.ts";
import { RuntimeInstanceService } from "../../../gen/policyguard/control/v1/runtime_instance_service_pb.ts";
import { useProjects } from "../../data/choice/project.ts";
import { useNewRuntime } from "../../data/new-runtime.ts";
import { useOrganization } from "../../data/organization.ts";
import { Ago } from "../../part/ago.tsx";
import { Button } from "../../part/button.tsx";
import { Select } from "../../part/field.tsx";
import { NoProject } from "../../part/onboarding/no-project.tsx";
import { NoRuntime } from "../../part/onboarding/no-runtime.tsx";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { ProjectSelect } from "../../part/project-select.tsx";
import { Answered, Empty, Failed, Loading } from "../../part/state.tsx";
import { type Column, Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import style from "./fleet.module.css";
import { ForgetDialog } from "./forget.tsx";
import { type FleetState, fleetState, fleetStates, stateRequest } from "./state.ts";

const texts = en.fleet;
/** Runtimes report within seconds. */
const newMs = 5_000;
const pageSize = 200;
/** So many are named above the list, of those that need somebody. */
const maxNamed = 20;
/** Ids are random, so their beginning tells runtimes apart; the whole one is shown where the pointer rests. */
const shownOfId = 8;

/** The runtimes of a project: what each enforces, and which need somebody. */
export function FleetPage() {
  const { orgId, can } = useOrganization();
  const search = useSearch({ from: "/o/$org/fleet" });
  const navigate = useNavigate({ from: "/o/$org/fleet" });
  const { projects, further, project, isLoaded, error, refetch } = useProjects(search.project);
  return (
    <Page
      title={texts.title}
      actions={
        projects.length > 1 && (
          <ProjectSelect
            projects={projects}
            further={further}
            value={project?.id}
            onChange={(id) => navigate({ search: { ...(id === undefined ? {} : { project: id }) }, replace: true })}
          />
        )
      }
    >
      {error !== undefined && <Failed error={error} onRetry={refetch} />}
      {!isLoaded && error === undefined && <Loading />}
      {isLoaded && project === undefined && (
        <NoProject makeFor={can(ProjectService.method.createProject) ? orgId : undefined} />
      )}
      {project !== undefined && <ProjectFleet key={project.id} projectId={project.id} />}
    </Page>
  );
}

function ProjectFleet({ projectId }: { readonly projectId: string }) {
  const { orgId } = useOrganization();
  const query = useQuery(EnvironmentService.method.listEnvironments, { orgId, projectId });
  return (
    <Answered query={query}>
      {({ environments }) => <Runtimes projectId={projectId} environments={environments} />}
    </Answered>
  );
}

function Runtimes({
  projectId,
  environments,
}: {
  readonly projectId: string;
  readonly environments: readonly Environment[];
}) {
  const { orgId } = useOrganization();
  const search = useSearch({ from: "/o/$org/fleet" });
  const navigate = useNavigate({ from: "/o/$org/fleet" });
  const [forgotten, setForgotten] = useState<RuntimeInstance>();
  const [offset, setOffset] = useState(0);
  const { environment, label } = search;
  const state = fleetStates.find((each) => each === search.state);
  const filter = {
    ...{ orgId, projectId, labels: label === undefined ? [] : [label] },
    ...(environment !== undefined && { envName: environment }),
  };
  const { data, error, refetch } = useQuery(
    RuntimeInstanceService.method.listProjectRuntimeInstances,
    { ...filter, ...stateRequest(state), limit: pageSize, offset },
    { refetchInterval: newMs, placeholderData: keepPreviousData },
  );
  const change = (part: Partial<Record<"environment" | "state" | "label", string | undefined>>) => {
    const given = (all: object) => Object.entries(all).filter(([, value]) => value !== undefined && value !== "");
    setOffset(0);
    navigate({ search: (former) => Object.fromEntries(given({ ...former, ...part })), replace: true });
  };
  const shown = data?.runtimes ?? [];
  const all = fleetStates.reduce((sum, each) => sum + (data?.counts?.[each] ?? 0), 0);
  return (
    <>
      <div className={style.filters}>
        <Select
          label={texts.environment}
          value={environment ?? ""}
          onChange={({ target }) => change({ environment: target.value })}
        >
          <option value="">{en.common.all}</option>
          {environments.map(({ id, name }) => (
            <option key={id} value={name}>
              {name}
            </option>
          ))}
        </Select>
        {label !== undefined && (
          <Button aria-label={texts.clearLabel(label)} onClick={() => change({ label: undefined })}>
            {label} ✕
          </Button>
        )}
        <StateFilter counts={data?.counts} chosen={state} onChoose={(next) => change({ state: next })} />
      </div>
      {error !== null && <Failed error={error} onRetry={() => refetch()} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && all === 0 && label === undefined && <NobodyYet />}
      {data !== undefined && shown.length === 0 && (all > 0 || label !== undefined) && (
        <Empty title={state === undefined ? texts.nothingLabelled : texts.nothing}>
          <Button onClick={() => change({ state: undefined, label: undefined })}>{texts.clear}</Button>
        </Empty>
      )}
      <Forks filter={filter} />
      <Rejections filter={filter} />
      {shown.length > 0 && (
        <RuntimeTable runtimes={shown} onForget={setForgotten} onLabel={(next) => change({ label: next })} />
      )}
      {data !== undefined && <Pager offset={offset} size={pageSize} total={data.total} onMove={setOffset} />}
      {data !== undefined && data.lostEvaluations > 0 && (
        <p className={style.note}>{texts.lostTotal(data.lostEvaluations)}</p>
      )}
      {forgotten !== undefined && (
        <ForgetDialog runtime={forgotten} projectId={projectId} onClose={() => setForgotten(undefined)} />
      )}
    </>
  );
}

/** What narrows all that the page shows. */
interface FleetFilter {
  readonly orgId: string;
  readonly projectId: string;
  readonly labels: string[];
  readonly envName?: string;
}

/** Counts by state; each is a filter. */
function StateFilter({
  counts,
  chosen,
  onChoose,
}: {
  readonly counts: RuntimeCounts | undefined;
  readonly chosen: FleetState | undefined;
  readonly onChoose: (state: FleetState | undefined) => void;
}) {
  return (
    <fieldset className={style.states}>
      <legend className={style.hidden}>{texts.filter}</legend>
      {fleetStates.map((state) => {
        const number = counts?.[state] ?? 0;
        return (
          <button
            key={state}
            type="button"
            className={`${style.state} ${number > 0 ? style[state] : ""}`}
            aria-pressed={chosen === state}
            title={texts.stateHints[state]}
            onClick={() => onChoose(chosen === state ? undefined : state)}
          >
            <strong>{count(number)}</strong> {texts.states[state]}
          </button>
        );
      })}
    </fieldset>
  );
}

/** What refused the newest bundle, and why: it needs somebody, so it stands on top. */
function Rejections({ filter }: { readonly filter: FleetFilter }) {
  const { data } = useQuery(
    RuntimeInstanceService.method.listProjectRuntimeInstances,
    { ...filter, state: RuntimeState.REJECTED, limit: maxNamed },
    { refetchInterval: newMs, placeholderData: keepPreviousData },
  );
  const rejected = data?.runtimes ?? [];
  if (data === undefined || rejected.length === 0) return null;
  return (
    <section className={style.rejections} aria-label={texts.rejections}>
      <h2>{texts.rejections}</h2>
      <ul>
        {rejected.map(({ instanceId, environment, rejection }) => (
          <li key={`${environment} ${instanceId}`}>
            <code>{instanceId}</code> · {environment}: {rejection}
          </li>
        ))}
      </ul>
      {data.total > rejected.length && <p>{texts.moreRefused(data.total - rejected.length)}</p>}
    </section>
  );
}

/** Witnesses that say that the log of evidence contradicts what they keep: nothing is worse, so it stands above all. */
function Forks({ filter }: { readonly filter: FleetFilter }) {
  const { orgId } = useOrganization();
  const { data } = useQuery(
    RuntimeInstanceService.method.listProjectRuntimeInstances,
    { ...filter, forked: true, limit: maxNamed },
    { refetchInterval: newMs, placeholderData: keepPreviousData },
  );
  const forked = data?.runtimes ?? [];
  if (data === undefined || forked.length === 0) return null;
  return (
    <section className={style.rejections} aria-label={texts.forks}>
      <h2>{texts.forks}</h2>
      <p>
        {texts.forksText}{" "}
        <Link to="/o/$org/settings/evidence" params={{ org: orgId }}>
          {en.evidence.title}
        </Link>
      </p>
      <ul>
        {forked.map(({ instanceId, environment, witnessedSize, evidenceForkedAt }) => (
          <li key={`${environment} ${instanceId}`}>
            <code>{instanceId}</code> · {environment} · {texts.keeps(witnessedSize ?? 0)} · {texts.since}{" "}
            <Ago time={evidenceForkedAt} />
          </li>
        ))}
      </ul>
      {data.total > forked.length && <p>{texts.moreForks(data.total - forked.length)}</p>}
    </section>
  );
}

function RuntimeTable({
  runtimes,
  onForget,
  onLabel,
}: {
  readonly runtimes: readonly RuntimeInstance[];
  readonly onForget: (runtime: RuntimeInstance) => void;
  readonly onLabel: (label: string) => void;
}) {
  const { can } = useOrganization();
  const columns: Column<RuntimeInstance>[] = [
    { title: texts.id, cell: (runtime) => <Identity runtime={runtime} onLabel={onLabel} /> },
    { title: texts.environment, phone: "below", cell: ({ environment }) => environment },
    { title: texts.state, phone: "end", cell: (runtime) => <State state={fleetState(runtime)} /> },
    {
      title: texts.version,
      phone: "named",
      isNumber: true,
      cell: ({ bundleVersion }) => (bundleVersion === undefined ? texts.none : en.common.version(bundleVersion)),
    },
    { title: texts.software, phone: "named", cell: ({ softwareVersion }) => softwareVersion },
    { title: texts.evaluations, isExtra: true, isNumber: true, cell: ({ evaluations }) => count(evaluations) },
    { title: texts.spool, isExtra: true, isNumber: true, cell: ({ spoolDepth }) => count(spoolDepth) },
    {
      title: texts.lost,
      phone: "named",
      isNumber: true,
      cell: ({ lostEvaluations }) => (
        <span className={lostEvaluations > 0 ? style.lost : ""}>{count(lostEvaluations)}</span>
      ),
    },
    { title: texts.witness, isExtra: true, isNumber: true, cell: (runtime) => <Witness runtime={runtime} /> },
    { title: texts.heard, phone: "named", isNumber: true, cell: ({ lastSeenAt }) => <Ago time={lastSeenAt} /> },
  ];
  if (can(RuntimeInstanceService.method.forgetRuntimeInstance))
    columns.push({
      title: "",
      isExtra: true,
      isNumber: true,
      cell: (runtime) => (
        <Button kind="quiet" onClick={() => onForget(runtime)}>
          {texts.forget}
        </Button>
      ),
    });
  return (
    <Table
      label={texts.title}
      columns={columns}
      rows={runtimes}
      keyOf={({ environment, instanceId }) => `${environment} ${instanceId}`}
    />
  );
}

function Identity({
  runtime: { instanceId, refusedBackends, labels },
  onLabel,
}: {
  readonly runtime: RuntimeInstance;
  readonly onLabel: (label: string) => void;
}) {
  const said = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort();
  return (
    <>
      <code title={instanceId}>{instanceId.slice(0, shownOfId)}</code>
      {said.map((label) => (
        <button
          key={label}
          type="button"
          className={style.label}
          title={texts.onlyLabel}
          onClick={() => onLabel(label)}
        >
          {label}
        </button>
      ))}
      {refusedBackends.length > 0 && <span className={style.note}>{texts.refused(refusedBackends.join(", "))}</span>}
    </>
  );
}

/** How much of the log of evidence the runtime vouches for. */
function Witness({ runtime: { witnessedSize, evidenceForkedAt } }: { readonly runtime: RuntimeInstance }) {
  if (witnessedSize === undefined) return <>{en.common.none}</>;
  return (
    <span className={evidenceForkedAt === undefined ? "" : style.lost} title={texts.keeps(witnessedSize)}>
      {count(witnessedSize)} {evidenceForkedAt !== undefined && texts.fork}
    </span>
  );
}

const shapes: Readonly<Record<FleetState, string>> = { active: "●", behind: "◐", rejected: "■", silent: "○" };

function State({ state }: { readonly state: FleetState }) {
  return (
    <span className={`${style.word} ${style[state]}`} title={texts.stateHints[state]}>
      <span aria-hidden="true">{shapes[state]}</span> {texts.states[state]}
    </span>
  );
}

function NobodyYet() {
  const { start, issueFor } = useNewRuntime();
  return <NoRuntime start={start} issueFor={issueFor} />;
}
