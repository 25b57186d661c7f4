import { useQuery } from "@connectrpc/connect-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { PolicySummary } from "../../../gen/policyguard/control/v1/policy_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { useProjects } from "../../data/project.ts";
import { useScopeText } from "../../data/scope.ts";
import { Ago } from "../../part/ago.tsx";
import { createKey } from "../../part/keys.ts";
import { LinkButton } from "../../part/link-button.tsx";
import { Page } from "../../part/page.tsx";
import { Empty, Failed, Loading } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import style from "./policy.module.css";

const texts = en.policies;
/** The list is filtered here, so it is loaded as a whole; an organization with more filters by the API. */
const maxPolicies = 200;

/** All policies of the organization. */
export function PolicyListPage() {
  const { orgId, can } = useOrganization();
  const { q = "" } = useSearch({ from: "/o/$org/policies" });
  const navigate = useNavigate({ from: "/o/$org/policies" });
  const { data, error, refetch } = useQuery(PolicyService.method.listPolicies, { orgId, limit: maxPolicies });
  const create = can(PolicyService.method.createPolicy) && (
    <LinkButton hotkey={createKey} to="/o/$org/policies/new" params={{ org: orgId }}>
      {texts.create}
    </LinkButton>
  );
  return (
    <Page title={texts.title} note={data && en.common.total(data.total)} actions={create}>
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading />}
      {data?.total === 0 && (
        <Empty title={texts.empty} text={texts.emptyText}>
          {create}
        </Empty>
      )}
      {data !== undefined && data.total > 0 && (
        <>
          <input
            type="search"
            className={style.filter}
            aria-label={texts.filter}
            placeholder={texts.filter}
            value={q}
            onChange={(event) =>
              navigate({ search: event.target.value === "" ? {} : { q: event.target.value }, replace: true })
            }
          />
          <Policies orgId={orgId} policies={data.policies.filter((policy) => matches(policy, q))} />
          {data.total > data.policies.length && <p>{texts.partial(data.policies.length, data.total)}</p>}
        </>
      )}
    </Page>
  );
}

function matches({ name, description }: PolicySummary, q: string): boolean {
  const wanted = q.trim().toLowerCase();
  return name.toLowerCase().includes(wanted) || (description ?? "").toLowerCase().includes(wanted);
}

function Policies({ orgId, policies }: { readonly orgId: string; readonly policies: readonly PolicySummary[] }) {
  const scopeText = useScopeText();
  if (policies.length === 0) return <Empty title={texts.matching} />;
  return (
    <Table
      label={texts.title}
      rows={policies}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.name,
          cell: ({ id, name }) => (
            <Link className={style.rowLink} to="/o/$org/policies/$policy" params={{ org: orgId, policy: id }}>
              {name}
            </Link>
          ),
        },
        { title: texts.description, isFree: true, isExtra: true, cell: ({ description }) => description ?? "" },
        { title: texts.scope, isExtra: true, cell: ({ scope }) => scopeText(scope) },
        { title: texts.version, isNumber: true, cell: ({ version }) => en.common.version(version) },
        { title: texts.activeIn, isExtra: true, cell: (policy) => <Places orgId={orgId} policy={policy} /> },
        { title: texts.changed, isNumber: true, cell: ({ updatedAt }) => <Ago time={updatedAt} /> },
      ]}
    />
  );
}

/** The environments whose active bundle contains the policy, and the version there when it is an older one. */
function Places({ orgId, policy }: { readonly orgId: string; readonly policy: PolicySummary }) {
  const { projects } = useProjects();
  const nameOf = (id: string) => (projects.length < 2 ? undefined : projects.find((each) => each.id === id)?.name);
  if (policy.activeIn.length === 0) return texts.activeNowhere;
  return (
    <span className={style.places}>
      {policy.activeIn.map(({ projectId, environment, bundleVersion, version }) => (
        <Link
          key={`${projectId} ${environment}`}
          to="/o/$org/environments/$project/$env/$version"
          params={{ org: orgId, project: projectId, env: environment, version: String(bundleVersion) }}
        >
          {texts.place(nameOf(projectId), environment, version === policy.version ? undefined : version)}
        </Link>
      ))}
    </span>
  );
}
