import { createQueryOptions, useQuery, useTransport } from "@connectrpc/connect-query";
import { useQueries } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Environment } from "../../../gen/policyguard/control/v1/environment_pb.ts";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { ProjectService } from "../../../gen/policyguard/control/v1/project_service_pb.ts";
import type { RuntimeInstance } from "../../../gen/policyguard/control/v1/runtime_instance_pb.ts";
import { RuntimeInstanceService } from "../../../gen/policyguard/control/v1/runtime_instance_service_pb.ts";
import { useNewRuntime } from "../../data/new-runtime.ts";
import { useOrganization } from "../../data/organization.ts";
import { useProjects } from "../../data/project.ts";
import { Ago } from "../../part/ago.tsx";
import { Button } from "../../part/button.tsx";
import { Select } from "../../part/field.tsx";
import { NoProject } from "../../part/onboarding/no-project.tsx";
import { NoRuntime } from "../../part/onboarding/no-runtime.tsx";
import { Page } from "../../part/page.tsx";
import { ProjectSelect } from "../../part/project-select.tsx";
import { Answered, Empty, Failed, Loading } from "../../part/state.tsx";
import { type Column, Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import style from "./fleet.module.css";
import { ForgetDialog } from "./forget.tsx";
import { type FleetState, fleetState, fleetStates } from "./state.ts";

const texts = en.fleet;
/** Runtimes report within seconds. */
const newMs = 5_000;
const maxShown = 200;
/** Ids are random, so their beginning tells runtimes apart; the whole one is shown where the pointer rests. */
const shownOfId = 8;

/** The runtimes of a project: what each enforces, and which need somebody. */
export function FleetPage() {
  const { orgId, can } = useOrganization();
  const search = useSearch({ from: "/o/$org/fleet" });
  const navigate = useNavigate({ from: "/o/$org/fleet" });
  const { projects, project, isLoaded, error, refetch } = useProjects(search.project);
  return (
    <Page
      title={texts.title}
      actions={
        projects.length > 1 && (
          <ProjectSelect
            projects={projects}
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
  const transport = useTransport();
  const search = useSearch({ from: "/o/$org/fleet" });
  const navigate = useNavigate({ from: "/o/$org/fleet" });
  const [forgotten, setForgotten] = useState<RuntimeInstance>();
  const chosen = environments.filter(({ name }) => search.environment === undefined || name === search.environment);
  const answers = useQueries({
    queries: chosen.map(({ name: envName }) => ({
      ...createQueryOptions(
        RuntimeInstanceService.method.listRuntimeInstances,
        { orgId, projectId, envName, limit: maxShown },
        { transport },
      ),
      refetchInterval: newMs,
    })),
  });
  const change = (part: { readonly environment?: string | undefined; readonly state?: FleetState | undefined }) => {
    const { environment, state, ...rest } = { ...search, ...part };
    const given = { ...rest, ...(environment && { environment }), ...(state && { state }) };
    navigate({ search: given, replace: true });
  };
  const all = answers.flatMap(({ data }) => data?.runtimes ?? []);
  const state = fleetStates.find((each) => each === search.state);
  const shown = all.filter((runtime) => state === undefined || fleetState(runtime) === state);
  const isLoaded = answers.every(({ data, error }) => data !== undefined || error !== null);
  return (
    <>
      <div className={style.filters}>
        <Select
          label={texts.environment}
          value={search.environment ?? ""}
          onChange={({ target }) => change({ environment: target.value || undefined })}
        >
          <option value="">{en.common.all}</option>
          {environments.map(({ id, name }) => (
            <option key={id} value={name}>
              {name}
            </option>
          ))}
        </Select>
        <StateFilter runtimes={all} chosen={state} onChoose={(next) => change({ state: next })} />
      </div>
      {answers.map(
        ({ error, refetch }, at) =>
          error !== null && <Failed key={chosen[at]?.id} error={error} onRetry={() => refetch()} />,
      )}
      {!isLoaded && all.length === 0 && <Loading />}
      {isLoaded && all.length === 0 && answers.every(({ error }) => error === null) && <NobodyYet />}
      {all.length > 0 && shown.length === 0 && (
        <Empty title={texts.nothing}>
          <Button onClick={() => change({ state: undefined })}>{texts.clear}</Button>
        </Empty>
      )}
      <Forks runtimes={all} />
      <Rejections runtimes={all} />
      {shown.length > 0 && <RuntimeTable runtimes={shown} onForget={setForgotten} />}
      <Notes chosen={chosen} answers={answers.map(({ data }) => data)} />
      {forgotten !== undefined && (
        <ForgetDialog runtime={forgotten} projectId={projectId} onClose={() => setForgotten(undefined)} />
      )}
    </>
  );
}

/** Counts by state; each is a filter. */
function StateFilter({
  runtimes,
  chosen,
  onChoose,
}: {
  readonly runtimes: readonly RuntimeInstance[];
  readonly chosen: FleetState | undefined;
  readonly onChoose: (state: FleetState | undefined) => void;
}) {
  return (
    <fieldset className={style.states}>
      <legend className={style.hidden}>{texts.filter}</legend>
      {fleetStates.map((state) => {
        const number = runtimes.filter((runtime) => fleetState(runtime) === state).length;
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
function Rejections({ runtimes }: { readonly runtimes: readonly RuntimeInstance[] }) {
  const rejected = runtimes.filter(({ rejection }) => rejection !== undefined);
  if (rejected.length === 0) return null;
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
    </section>
  );
}

/** Witnesses that say that the log of evidence contradicts what they keep: nothing is worse, so it stands above all. */
function Forks({ runtimes }: { readonly runtimes: readonly RuntimeInstance[] }) {
  const { orgId } = useOrganization();
  const forked = runtimes.filter(({ evidenceForkedAt }) => evidenceForkedAt !== undefined);
  if (forked.length === 0) return null;
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
    </section>
  );
}

function RuntimeTable({
  runtimes,
  onForget,
}: {
  readonly runtimes: readonly RuntimeInstance[];
  readonly onForget: (runtime: RuntimeInstance) => void;
}) {
  const { can } = useOrganization();
  const columns: Column<RuntimeInstance>[] = [
    { title: texts.id, cell: (runtime) => <Identity runtime={runtime} /> },
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

function Identity({ runtime }: { readonly runtime: RuntimeInstance }) {
  const { instanceId, refusedBackends } = runtime;
  return (
    <>
      <code title={instanceId}>{instanceId.slice(0, shownOfId)}</code>
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

/** What the table does not show: evaluations without a trace, and runtimes beyond the first. */
function Notes({
  chosen,
  answers,
}: {
  readonly chosen: readonly Environment[];
  readonly answers: readonly (
    | { readonly total: number; readonly lostEvaluations: number; readonly runtimes: readonly unknown[] }
    | undefined
  )[];
}) {
  const lost = answers.reduce((sum, answer) => sum + (answer?.lostEvaluations ?? 0), 0);
  return (
    <>
      {answers.map(
        (answer, at) =>
          answer !== undefined &&
          answer.total > answer.runtimes.length && (
            <p key={chosen[at]?.id} className={style.note}>
              {texts.partial(answer.runtimes.length, answer.total, chosen[at]?.name ?? "")}
            </p>
          ),
      )}
      {lost > 0 && <p className={style.note}>{texts.lostTotal(lost)}</p>}
    </>
  );
}

function NobodyYet() {
  const { start, issueFor } = useNewRuntime();
  return <NoRuntime start={start} issueFor={issueFor} />;
}
