import { useQuery } from "@connectrpc/connect-query";
import type { ReactNode } from "react";
import { BundleState } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import type { PolicySummary } from "../../../gen/policyguard/control/v1/policy_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import type { Trace } from "../../../gen/policyguard/control/v1/trace_pb.ts";
import { useEnvironments } from "../../data/choice/environment.ts";
import { mapFurther } from "../../data/choice/further.ts";
import { usePolicies } from "../../data/choice/policy.ts";
import { documentOf } from "../../data/document.ts";
import { draftKey, readDraft } from "../../data/draft.ts";
import { useOrganization } from "../../data/organization.ts";
import { Select } from "../../part/field.tsx";
import { FoundChoice } from "../../part/form/found-choice.tsx";
import { Failed } from "../../part/state.tsx";
import { en } from "../../text/en.ts";

const texts = en.review;
const maxBundles = 200;
/** Each comes with its document. */
const maxDocuments = 50;

/** By what a trace is replayed. */
export interface ReplayJudge {
  readonly kind: "bundle" | "policy" | "draft";
  /** The environment of a bundle, or the id of a policy. */
  readonly of: string;
  /** A version other than the one in force, or than the newest. */
  readonly version?: number | undefined;
}

/** The judge as the call has it. A draft that was discarded meanwhile leaves the stored policy. */
export function judgeRequest(
  { kind, of, version }: ReplayJudge,
  { projectId, accountId, orgId }: { readonly projectId: string; readonly accountId: string; readonly orgId: string },
) {
  const chosen = version === undefined ? {} : { version };
  if (kind === "bundle") return { bundle: { projectId, environment: of, ...chosen } };
  const draft = kind === "draft" ? readDraft(draftKey(accountId, orgId, of)) : undefined;
  return draft === undefined ? { policyId: of, ...chosen } : { document: documentOf(draft.text) };
}

/** Chooses among what environments enforce, policies, what is unsaved of them, and former versions. */
export function JudgeSelect({
  trace,
  judge,
  onChange,
}: {
  readonly trace: Trace;
  readonly judge: ReplayJudge;
  readonly onChange: (judge: ReplayJudge) => void;
}) {
  const { orgId, accountId } = useOrganization();
  const asked = usePolicies();
  const environments = useEnvironments([trace.projectId]);
  const others = environments.filter(
    ({ name, activeVersion }) => name !== trace.environment && activeVersion !== undefined,
  );
  const choose = (value: string) => {
    const [kind, ...of] = value.split(":");
    if (kind === "bundle" || kind === "policy" || kind === "draft") onChange({ kind, of: of.join(":") });
  };
  const bundles = [trace.environment, ...others.map(({ name }) => name)].map((name) => ({
    ...{ id: `bundle:${name}`, name: texts.bundleOf(name) },
  }));
  const choicesOf = (among: readonly PolicySummary[]) =>
    among.flatMap(({ id, name, version }) => [
      { id: `policy:${id}`, name: texts.newest(name, version) },
      ...(readDraft(draftKey(accountId, orgId, id)) === undefined
        ? []
        : [{ id: `draft:${id}`, name: texts.draft(name) }]),
    ]);
  return (
    <>
      <FoundChoice
        label={texts.replayBy}
        choices={[...bundles, ...choicesOf(asked.policies ?? [])]}
        further={mapFurther(asked.further, choicesOf)}
        value={`${judge.kind}:${judge.of}`}
        onChange={choose}
      />
      {asked.error !== undefined && <Failed error={asked.error} onRetry={asked.refetch} />}
      {judge.kind === "bundle" && <BundleVersion trace={trace} judge={judge} onChange={onChange} />}
      {judge.kind === "policy" && <PolicyVersion judge={judge} onChange={onChange} />}
    </>
  );
}

interface VersionChoice {
  readonly judge: ReplayJudge;
  readonly onChange: (judge: ReplayJudge) => void;
}

function BundleVersion({ trace, judge, onChange }: VersionChoice & { readonly trace: Trace }) {
  const { orgId } = useOrganization();
  const { data, error, refetch } = useQuery(BundleService.method.listBundles, {
    ...{ orgId, projectId: trace.projectId, envName: judge.of, limit: maxBundles },
  });
  const kept = data?.bundles.filter(({ state }) => state !== BundleState.PURGED) ?? [];
  const active = data?.bundles.find(({ state }) => state === BundleState.ACTIVE)?.version;
  const then = judge.of === trace.environment ? trace.bundle?.version : undefined;
  const versions = kept.map(({ version, message }) => ({ version, note: version === then ? texts.asThen : message }));
  return (
    <VersionSelect none={texts.inForce(active)} versions={versions} judge={judge} onChange={onChange}>
      {error !== null && <Failed error={error} onRetry={refetch} />}
    </VersionSelect>
  );
}

function PolicyVersion({ judge, onChange }: VersionChoice) {
  const { orgId } = useOrganization();
  const { data, error, refetch } = useQuery(PolicyService.method.listPolicyVersions, {
    ...{ orgId, policyId: judge.of, limit: maxDocuments },
  });
  const versions = data?.versions.map(({ version, message }) => ({ version, note: message })) ?? [];
  return (
    <VersionSelect none={texts.newestVersion} versions={versions} judge={judge} onChange={onChange}>
      {error !== null && <Failed error={error} onRetry={refetch} />}
    </VersionSelect>
  );
}

function VersionSelect({
  none,
  versions,
  judge,
  onChange,
  children,
}: VersionChoice & {
  readonly none: string;
  readonly versions: readonly { readonly version: number; readonly note: string | undefined }[];
  readonly children: ReactNode;
}) {
  return (
    <>
      <Select
        label={texts.version}
        value={judge.version ?? ""}
        onChange={({ target: { value } }) => onChange({ ...judge, version: value === "" ? undefined : Number(value) })}
      >
        <option value="">{none}</option>
        {versions.map(({ version, note }) => (
          <option key={version} value={version}>
            {note === undefined || note === "" ? en.common.version(version) : texts.versionNote(version, note)}
          </option>
        ))}
      </Select>
      {children}
    </>
  );
}
