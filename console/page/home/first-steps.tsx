import { createQueryOptions, useQuery } from "@connectrpc/connect-query";
import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { OrganizationService } from "../../../gen/policyguard/control/v1/organization_service_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { ProjectService } from "../../../gen/policyguard/control/v1/project_service_pb.ts";
import { RuntimeInstanceService } from "../../../gen/policyguard/control/v1/runtime_instance_service_pb.ts";
import { TokenService } from "../../../gen/policyguard/control/v1/token_service_pb.ts";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { Outcome as OutcomeNumber } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { maxProjects, useEnvironments } from "../../data/choice/environment.ts";
import { useProjects } from "../../data/choice/project.ts";
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

/** What is published and what runs, in any project of the organization. */
function useReached({ isPolling }: { readonly isPolling: boolean }) {
  const { orgId } = useOrganization();
  const { projects, total, isLoaded } = useProjects();
  const looked = projects.slice(0, maxProjects).map(({ id }) => id);
  const environments = useEnvironments(looked);
  const heard = useQueries({
    queries: looked.map((projectId) => ({
      ...createQueryOptions(
        RuntimeInstanceService.method.listProjectRuntimeInstances,
        { orgId, projectId, limit: 1 },
        { transport },
      ),
      // A project without a runtime would be asked about for ever.
      refetchInterval: isPolling ? waitMs : false,
    })),
  });
  return {
    hasNoProject: isLoaded && total === 0,
    isActive: environments.some(({ activeVersion }) => activeVersion !== undefined),
    isHeard: heard.some(({ data }) => (data?.total ?? 0) > 0),
    /** Where it was looked, when that was not everywhere. */
    rest: total > looked.length && isLoaded ? texts.steps.someProjects(looked.length, total) : undefined,
  };
}

function Steps({ orgId, onHide }: { readonly orgId: string; readonly onHide: () => void }) {
  const { can } = useOrganization();
  const wait = { refetchInterval: waitUntilSome };
  const policies = useQuery(PolicyService.method.listPolicies, { orgId, limit: 1 });
  const mayReadUsage = can(OrganizationService.method.getUsage);
  const usage = useQuery(OrganizationService.method.getUsage, { orgId }, { enabled: mayReadUsage });
  const runtime = useNewRuntime();
  const any = useQuery(TraceService.method.listTraces, { orgId, limit: 1 }, wait);
  const reached = useReached({ isPolling: any.data?.total === 0 });
  const block = { orgId, limit: 1, outcome: OutcomeNumber.BLOCK };
  const blocked = useQuery(TraceService.method.listTraces, block, wait);
  const trace = blocked.data?.traces[0];
  const [wasOpen] = useState(() => ({ isSet: false, value: false }));
  if (!wasOpen.isSet && blocked.data !== undefined) Object.assign(wasOpen, { isSet: true, value: trace === undefined });
  if (!wasOpen.value) return null;
  const isRunning = reached.isHeard || (any.data?.total ?? 0) > 0;
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
          <WritePolicy />
        </Step>
        <Step isDone={(usage.data?.playgroundEvaluations ?? 0) > 0} hint={texts.steps.triedHint}>
          {can(PolicyService.method.explainPolicies) ? (
            <Link to="/o/$org/policies" params={{ org: orgId }}>
              {texts.steps.tried}
            </Link>
          ) : (
            texts.steps.triedOnly
          )}
        </Step>
        <Step isDone={reached.isActive} hint={texts.steps.publishHint} rest={reached.rest}>
          <Publish hasNoProject={reached.hasNoProject} />
        </Step>
        <Step isDone={isRunning} hint={texts.steps.runtimeHint} rest={reached.rest}>
          {can(TokenService.method.issueRuntimeToken) ? (
            <Link to="/o/$org/settings/tokens" params={{ org: orgId }} search={isRunning ? {} : { issue: "runtime" }}>
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

function WritePolicy() {
  const { orgId, can } = useOrganization();
  const params = { org: orgId };
  if (!can(PolicyService.method.createPolicy)) return texts.steps.policyOnly;
  return (
    <>
      <Link to="/o/$org/policies/new" params={params}>
        {texts.steps.policy}
      </Link>{" "}
      {texts.steps.or}{" "}
      <Link to="/o/$org/packs" params={params}>
        {texts.steps.pack}
      </Link>
    </>
  );
}

function Publish({ hasNoProject }: { readonly hasNoProject: boolean }) {
  const { orgId, can } = useOrganization();
  const params = { org: orgId };
  if (!can(BundleService.method.publishBundle)) return texts.steps.publishOnly;
  return (
    <>
      <Link to="/o/$org/environments" params={params}>
        {texts.steps.publish}
      </Link>
      {hasNoProject && can(ProjectService.method.createProject) && (
        <>
          {" · "}
          <Link to="/o/$org/settings" params={params}>
            {texts.steps.project}
          </Link>
        </>
      )}
    </>
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
  rest,
  children,
}: {
  readonly isDone: boolean;
  readonly hint: string | undefined;
  /** Where it was looked whether it is done, when that was not everywhere. */
  readonly rest?: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    <li>
      <span className={isDone ? style.done : style.dim}>{isDone ? `✓ ${texts.done}` : `○ ${texts.open}`}</span>
      <span>
        {children}
        {hint !== undefined && <span className={style.hint}>{hint}</span>}
        {!isDone && rest !== undefined && <span className={style.hint}>{rest}</span>}
      </span>
    </li>
  );
}
