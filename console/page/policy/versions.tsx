import { createClient } from "@connectrpc/connect";
import { useQuery } from "@connectrpc/connect-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { PolicyVersion } from "../../../gen/policyguard/control/v1/policy_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { usePolicies } from "../../data/choice/policy.ts";
import { useProjects } from "../../data/choice/project.ts";
import { sourceOf } from "../../data/document.ts";
import { draftKey, readDraft } from "../../data/draft.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { transport } from "../../data/transport.ts";
import { DiffView } from "../../editor/diff-view.tsx";
import { Ago } from "../../part/ago.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { Select } from "../../part/field.tsx";
import { Meaning } from "../../part/judgement/meaning.tsx";
import { Page } from "../../part/page.tsx";
import { Answered, Empty, Failed, Loading } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { DraftMeaning } from "./draft-meaning.tsx";
import style from "./policy.module.css";

const texts = en.versions;
const policies = createClient(PolicyService, transport);
const maxVersions = 200;

/** The history of a policy: what changed between two versions, and whether it is stricter now. */
export function PolicyVersionsPage() {
  const { orgId, can } = useOrganization();
  const { policy: policyId } = useParams({ from: "/o/$org/policies/$policy/versions" });
  const list = useQuery(PolicyService.method.listPolicyVersions, { orgId, policyId, limit: maxVersions });
  const policy = useQuery(PolicyService.method.getPolicy, { orgId, policyId });
  const { run, isBusy, error } = useBusy();
  const restore = (version: number) =>
    run(async () => {
      await policies.restorePolicyVersion({ orgId, policyId, version });
      await invalidate(PolicyService.method.restorePolicyVersion);
    });
  const name = policy.data?.policy?.name ?? "";
  const newest = list.data?.versions[0]?.version ?? 0;
  return (
    <Page
      title={texts.title}
      note={
        <Link to="/o/$org/policies/$policy" params={{ org: orgId, policy: policyId }}>
          {name}
        </Link>
      }
    >
      {list.error !== null && <Failed error={list.error} onRetry={list.refetch} />}
      {error !== undefined && <Failed error={error} />}
      {list.data === undefined && list.error === null && <Loading />}
      {list.data !== undefined && (
        <>
          <Compare policyId={policyId} versions={list.data.versions} />
          <Table
            label={texts.title}
            rows={list.data.versions}
            keyOf={({ version }) => String(version)}
            columns={[
              { title: en.policies.version, cell: ({ version }) => en.common.version(version) },
              { title: texts.message, isFree: true, phone: "below", cell: ({ message }) => message ?? "" },
              { title: texts.author, phone: "below", cell: ({ author }) => author },
              { title: texts.when, isNumber: true, phone: "end", cell: ({ createdAt }) => <Ago time={createdAt} /> },
              {
                title: "",
                isNumber: true,
                phone: "deeds",
                cell: ({ version }) =>
                  version !== newest &&
                  can(PolicyService.method.restorePolicyVersion) && (
                    <Button kind="quiet" disabled={isBusy} onClick={() => restore(version)}>
                      {texts.restore(version)}
                    </Button>
                  ),
              },
            ]}
          />
          {list.data.total > list.data.versions.length && (
            <p>{texts.newestOf(list.data.versions.length, list.data.total)}</p>
          )}
        </>
      )}
    </Page>
  );
}

/** Two pickers, among the versions, what environments run of them, and what is typed and not saved. */
function Compare({ policyId, versions }: { readonly policyId: string; readonly versions: readonly PolicyVersion[] }) {
  const { orgId, accountId } = useOrganization();
  const search = useSearch({ from: "/o/$org/policies/$policy/versions" });
  const navigate = useNavigate({ from: "/o/$org/policies/$policy/versions" });
  const titleOf = useVersionTitle(policyId);
  const draft = readDraft(draftKey(accountId, orgId, policyId));
  const [newest, second] = versions;
  if (newest === undefined || (second === undefined && draft === undefined)) return <Empty title={texts.missing} />;
  const isDraft = draft !== undefined && (search.to === "draft" || second === undefined);
  const to = versions.find(({ version }) => version === search.to) ?? newest;
  const from =
    versions.find(({ version }) => version === search.from) ??
    // Unsaved text is compared with what it began from.
    versions.find(({ version }) => (isDraft ? version === draft.version : version < to.version)) ??
    (isDraft ? newest : to);
  const choose = (part: { readonly from?: number; readonly to?: number | "draft" }) =>
    navigate({ search: { from: from.version, to: isDraft ? "draft" : to.version, ...part }, replace: true });
  const options = versions.map(({ version }) => (
    <option key={version} value={version}>
      {titleOf(version)}
    </option>
  ));
  return (
    <section className={style.compare} aria-label={texts.compare}>
      <div className={style.pickers}>
        <Select
          label={texts.from}
          value={from.version}
          onChange={({ target }) => choose({ from: Number(target.value) })}
        >
          {options}
        </Select>
        <Select
          label={texts.to}
          value={isDraft ? "draft" : to.version}
          onChange={({ target }) => choose({ to: target.value === "draft" ? "draft" : Number(target.value) })}
        >
          {draft !== undefined && <option value="draft">{texts.draft}</option>}
          {options}
        </Select>
      </div>
      {isDraft ? (
        <DraftMeaning policyId={policyId} version={from.version} text={draft.text} />
      ) : (
        <VersionMeaning policyId={policyId} from={from.version} to={to.version} />
      )}
      <DiffView before={sourceOf(from)} after={isDraft ? draft.text : sourceOf(to)} label={texts.compare} />
    </section>
  );
}

/** "v3 · prod, staging": a version with the environments that enforce it. */
function useVersionTitle(policyId: string): (version: number) => string {
  const { policies } = usePolicies();
  const { projects } = useProjects();
  const places = policies?.find(({ id }) => id === policyId)?.activeIn ?? [];
  const nameOf = (id: string) => (projects.length < 2 ? undefined : projects.find((each) => each.id === id)?.name);
  return (version) =>
    texts.runBy(
      version,
      places
        .filter((place) => place.version === version)
        .map(({ projectId, environment }) => en.policies.place(nameOf(projectId), environment, undefined)),
    );
}

function VersionMeaning({
  policyId,
  from,
  to,
}: {
  readonly policyId: string;
  readonly from: number;
  readonly to: number;
}) {
  const { orgId } = useOrganization();
  const query = useQuery(PolicyService.method.diffPolicyVersions, { orgId, policyId, from, to });
  return (
    <Answered query={query} rows={2}>
      {(diff) => <Meaning diff={diff} />}
    </Answered>
  );
}
