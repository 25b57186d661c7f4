import { createQueryOptions, useQuery } from "@connectrpc/connect-query";
import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { EnvironmentService } from "../../../gen/policyguard/control/v1/environment_service_pb.ts";
import { OrganizationService } from "../../../gen/policyguard/control/v1/organization_service_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { ProjectService } from "../../../gen/policyguard/control/v1/project_service_pb.ts";
import { RuntimeInstanceService } from "../../../gen/policyguard/control/v1/runtime_instance_service_pb.ts";
import { TokenService } from "../../../gen/policyguard/control/v1/token_service_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { Outcome as OutcomeNumber } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { useNewRuntime } from "../../data/new-runtime.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { Button } from "../../part/button.tsx";
import { CopyText } from "../../part/copy/copy-text.tsx";
import { en } from "../../text/en.ts";
import { dismissSteps, isDismissed } from "./dismissed.ts";
import { FirstBlock } from "./first-block.tsx";
import style from "./home.module.css";

const texts = en.home;
/** While somebody waits for their first blocked evaluation. */
const waitMs = 3_000;

/** The way from an empty organization to a blocked attack. Each step is read from data, so it can be done elsewhere. */
export function FirstSteps() {
  const { orgId } = useOrganization();
  const [isHidden, setHidden] = useState(() => isDismissed(orgId));
  if (isHidden) return null;
  const hide = () => {
    dismissSteps(orgId);
    setHidden(true);
  };
  return <Steps orgId={orgId} onHide={hide} />;
}

function Steps({ orgId, onHide }: { readonly orgId: string; readonly onHide: () => void }) {
  const { can } = useOrganization();
  const wait = { refetchInterval: waitUntilSome };
  const policies = useQuery(PolicyService.method.listPolicies, { orgId, limit: 1 });
  const projects = useQuery(ProjectService.method.listProjects, { orgId, limit: 1 });
  const projectId = projects.data?.projects[0]?.id;
  const environments = useQuery(
    EnvironmentService.method.listEnvironments,
    { orgId, projectId: projectId ?? "" },
    { enabled: projectId !== undefined },
  );
  const usage = useQuery(
    OrganizationService.method.getUsage,
    { orgId },
    { enabled: can(OrganizationService.method.getUsage) },
  );
  const runtime = useNewRuntime();
  const any = useQuery(TraceService.method.listTraces, { orgId, limit: 1 }, wait);
  const heard = useQueries({
    queries: (environments.data?.environments ?? []).map(({ projectId: id, name }) => ({
      ...createQueryOptions(
        RuntimeInstanceService.method.listRuntimeInstances,
        { orgId, projectId: id, envName: name, limit: 1 },
        { transport },
      ),
      // An environment without a runtime would be asked about for ever.
      refetchInterval: any.data?.total === 0 ? waitMs : false,
    })),
  });
  const block = { orgId, limit: 1, outcome: OutcomeNumber.BLOCK };
  const blocked = useQuery(TraceService.method.listTraces, block, wait);
  const trace = blocked.data?.traces[0];
  const [wasOpen] = useState(() => ({ isSet: false, value: false }));
  if (!wasOpen.isSet && blocked.data !== undefined) Object.assign(wasOpen, { isSet: true, value: trace === undefined });
  if (!wasOpen.value) return null;
  const params = { org: orgId };
  const isHeard = heard.some(({ data }) => (data?.total ?? 0) > 0);
  const isRunning = isHeard || (any.data?.total ?? 0) > 0;
  const isTried = (usage.data?.playgroundEvaluations ?? 0) > 0;
  const mayIssue = can(TokenService.method.issueRuntimeToken);
  return (
    <section className={style.steps} aria-label={texts.startTitle}>
      <header className={style.stepsHeader}>
        <h2>{texts.startTitle}</h2>
        <Button kind="quiet" onClick={onHide}>
          {texts.dismiss}
        </Button>
      </header>
      <ol>
        <Step isDone={(policies.data?.total ?? 0) > 0} hint={texts.steps.policyHint}>
          {can(PolicyService.method.createPolicy) ? (
            <Link to="/o/$org/policies/new" params={params}>
              {texts.steps.policy}
            </Link>
          ) : (
            texts.steps.policy
          )}{" "}
          {texts.steps.or}{" "}
          <Link to="/o/$org/packs" params={params}>
            {texts.steps.pack}
          </Link>
        </Step>
        <Step isDone={isTried} hint={texts.steps.triedHint}>
          <Link to="/o/$org/policies" params={params}>
            {texts.steps.tried}
          </Link>
        </Step>
        <Step
          isDone={environments.data?.environments.some(({ activeVersion }) => activeVersion !== undefined) ?? false}
          hint={texts.steps.publishHint}
        >
          <Link to="/o/$org/environments" params={params}>
            {texts.steps.publish}
          </Link>
          {projects.data?.total === 0 && can(ProjectService.method.createProject) && (
            <>
              {" · "}
              <Link to="/o/$org/settings" params={params}>
                {texts.steps.project}
              </Link>
            </>
          )}
        </Step>
        <Step isDone={isRunning} hint={texts.steps.runtimeHint}>
          {mayIssue ? (
            <Link to="/o/$org/settings/tokens" params={params} search={isRunning ? {} : { issue: "runtime" }}>
              {texts.steps.runtime}
            </Link>
          ) : (
            texts.steps.runtimeOnly
          )}
          {!isRunning && <CopyText label={en.fleet.start} text={runtime.start} />}
        </Step>
        <Step isDone={trace !== undefined} hint={trace === undefined ? texts.steps.blockedHint : undefined}>
          {trace === undefined ? (
            <>
              <span role="status">{texts.steps.waiting}</span>
              <CopyText label={texts.steps.blocked} text={attackOn(runtime.url)} />
            </>
          ) : (
            <FirstBlock orgId={orgId} traceId={trace.id} />
          )}
        </Step>
      </ol>
    </section>
  );
}

/** The command that sends an attack to a runtime. */
function attackOn(runtimeUrl: string): string {
  const body = JSON.stringify({ text: texts.steps.attack });
  return `curl ${runtimeUrl}/v1/evaluate/input -H "Authorization: Bearer gr_rt_…" -H "Content-Type: application/json" -d '${body}'`;
}

function waitUntilSome({ state }: { readonly state: { readonly data?: { readonly total: number } | undefined } }) {
  return state.data?.total ? false : waitMs;
}

function Step({
  isDone,
  hint,
  children,
}: {
  readonly isDone: boolean;
  readonly hint: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    <li>
      <span className={isDone ? style.done : style.dim}>{isDone ? `✓ ${texts.done}` : `○ ${texts.open}`}</span>
      <span>
        {children}
        {hint !== undefined && <span className={style.hint}>{hint}</span>}
      </span>
    </li>
  );
}
