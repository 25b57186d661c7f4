import { useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { PackService } from "../../../gen/policyguard/control/v1/pack_service_pb.ts";
import type { PolicySummary } from "../../../gen/policyguard/control/v1/policy_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { useProjects } from "../../data/choice/project.ts";
import { useOrganization } from "../../data/organization.ts";
import { useRested } from "../../data/rested.ts";
import { useScopeText } from "../../data/scope.ts";
import { Ago } from "../../part/ago.tsx";
import { Button } from "../../part/button.tsx";
import { useTyped } from "../../part/form/typed.ts";
import layout from "../../part/layout/layout.module.css";
import { LinkButton } from "../../part/link-button.tsx";
import { NothingYet } from "../../part/onboarding/nothing-yet.tsx";
import { Page } from "../../part/page.tsx";
import { Pager } from "../../part/pager.tsx";
import { Empty, Failed, Loading } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import { FileTarget, OpenFile, usePolicyFile } from "./open-file.tsx";
import style from "./policy.module.css";
import { allProjects } from "./search.ts";

const texts = en.policies;
const from = "/o/$org/policies";
const pageSize = 50;
/** The longest text that lists are searched for. */
const maxQuery = 200;

/** All policies of the organization. */
export function PolicyListPage() {
  const { orgId, can } = useOrganization();
  const { q, scope } = useSearch({ from });
  const filter = { q: useRested(q), scope };
  const [offset, setOffset] = useState(0);
  const { data, error, refetch, isPlaceholderData } = useQuery(
    PolicyService.method.listPolicies,
    {
      ...{ orgId, limit: pageSize, offset },
      ...(filter.q === undefined ? {} : { query: filter.q.trim() }),
      ...(filter.scope === undefined ? {} : { appId: filter.scope }),
    },
    { placeholderData: keepPreviousData },
  );
  // What is shown may still be that of the former filter.
  const isFiltered = isPlaceholderData || [q, filter.q, scope].some((each) => each !== undefined);
  const mayCreate = can(PolicyService.method.createPolicy);
  const file = usePolicyFile();
  const deeds = (
    <>
      {can(PackService.method.applyPack) && (
        <LinkButton kind="plain" to="/o/$org/packs" params={{ org: orgId }}>
          {texts.fromPack}
        </LinkButton>
      )}
      {mayCreate && <OpenFile onOpen={file.open} />}
      {mayCreate && (
        <LinkButton hotkey="create" to="/o/$org/policies/new" params={{ org: orgId }}>
          {texts.create}
        </LinkButton>
      )}
    </>
  );
  const page = (
    <Page title={texts.title} note={data && en.common.total(data.total)} actions={deeds}>
      {file.fault !== undefined && <p role="alert">{file.fault}</p>}
      {error !== null && <Failed error={error} onRetry={refetch} />}
      {data === undefined && error === null && <Loading />}
      {data?.total === 0 && !isFiltered && (
        <NothingYet of="policies" title={texts.empty} text={texts.emptyText}>
          <div className={layout.row}>{deeds}</div>
        </NothingYet>
      )}
      {data !== undefined && (data.total > 0 || isFiltered) && (
        <>
          <Filters onChange={() => setOffset(0)} />
          <Policies orgId={orgId} policies={data.policies} />
          <Pager offset={offset} size={pageSize} total={data.total} onMove={setOffset} />
        </>
      )}
    </Page>
  );
  return <FileTarget onOpen={mayCreate ? file.open : undefined}>{page}</FileTarget>;
}

function Filters({ onChange }: { readonly onChange: () => void }) {
  const { q = "", scope } = useSearch({ from });
  const navigate = useNavigate({ from });
  const { projects } = useProjects(scope);
  const change = (part: { readonly q?: string; readonly scope?: string }) => {
    onChange();
    navigate({ search: (former) => ({ ...former, ...part }), replace: true });
  };
  const { text, setText, keep } = useTyped(q, (next) => change({ q: next }));
  return (
    <search className={style.filters}>
      <input
        type="search"
        className={style.filter}
        aria-label={texts.filter}
        placeholder={texts.filter}
        maxLength={maxQuery}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          keep(target.value);
        }}
      />
      {(projects.length > 1 || scope !== undefined) && (
        <select
          className={style.filter}
          aria-label={texts.scope}
          value={scope ?? ""}
          onChange={({ target }) => change({ scope: target.value })}
        >
          <option value="">{texts.anyScope}</option>
          <option value={allProjects}>{texts.allProjects}</option>
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </search>
  );
}

function Policies({ orgId, policies }: { readonly orgId: string; readonly policies: readonly PolicySummary[] }) {
  const scopeText = useScopeText();
  const navigate = useNavigate({ from });
  if (policies.length === 0)
    return (
      <Empty title={texts.matching}>
        <Button onClick={() => navigate({ search: {}, replace: true })}>{en.traces.clear}</Button>
      </Empty>
    );
  return (
    <Table
      label={texts.title}
      rows={policies}
      keyOf={({ id }) => id}
      columns={[
        {
          title: texts.name,
          cell: ({ id, name }) => (
            <Link className={style.name} to="/o/$org/policies/$policy" params={{ org: orgId, policy: id }}>
              {name}
            </Link>
          ),
        },
        { title: texts.description, isFree: true, phone: "rest", cell: ({ description }) => description ?? "" },
        { title: texts.scope, phone: "below", cell: ({ scope }) => scopeText(scope) },
        { title: texts.rules, phone: "named", isNumber: true, cell: ({ ruleCount }) => count(ruleCount) },
        { title: texts.version, phone: "end", isNumber: true, cell: ({ version }) => en.common.version(version) },
        { title: texts.activeIn, phone: "named", cell: (policy) => <Places orgId={orgId} policy={policy} /> },
        { title: texts.changed, phone: "named", isNumber: true, cell: ({ updatedAt }) => <Ago time={updatedAt} /> },
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
