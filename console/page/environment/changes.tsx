import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import type { BundleDiff, BundlePolicy } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { en } from "../../text/en.ts";
import style from "./environment.module.css";

const texts = en.bundle;

/** What becomes of policies: which come, go and change, and whether each change is stricter or weaker. */
export function PolicyChanges({
  added,
  removed,
  changed,
}: Pick<BundleDiff, "added" | "removed"> & {
  readonly changed: readonly {
    readonly policyId: string;
    readonly name: string;
    readonly activeVersion: number;
    readonly version: number;
  }[];
}) {
  return (
    <ul className={style.changes}>
      {added.map((policy) => (
        <Whole key={policy.policyId} policy={policy} word={texts.added} kind="stricter" />
      ))}
      {removed.map((policy) => (
        <Whole key={policy.policyId} policy={policy} word={texts.removed} kind="weaker" />
      ))}
      {changed.map((policy) => (
        <Changed key={policy.policyId} {...policy} />
      ))}
    </ul>
  );
}

function Whole({
  policy: { name, version },
  word,
  kind,
}: {
  readonly policy: BundlePolicy;
  readonly word: string;
  readonly kind: "stricter" | "weaker";
}) {
  return (
    <li>
      <strong>{name}</strong> {en.common.version(version)}{" "}
      <span className={`${style.tag} ${kind === "weaker" ? style.weaker : ""}`}>{word}</span>
    </li>
  );
}

function Changed({
  policyId,
  name,
  activeVersion,
  version,
}: {
  readonly policyId: string;
  readonly name: string;
  readonly activeVersion: number;
  readonly version: number;
}) {
  const { orgId } = useOrganization();
  // The comparison knows the later version as the later one; going back to an older one is its reverse.
  const isBack = version < activeVersion;
  const [from, to] = isBack ? [version, activeVersion] : [activeVersion, version];
  const { data, error } = useQuery(PolicyService.method.diffPolicyVersions, { orgId, policyId, from, to });
  const strictness = data === undefined ? undefined : isBack ? reversed(data.strictness) : data.strictness;
  return (
    <li>
      <strong>{name}</strong> {texts.changed(activeVersion, version)}{" "}
      {strictness !== undefined && (
        <span className={`${style.tag} ${strictness === "weaker" ? style.weaker : ""}`}>
          {en.policy.strictness[strictness] ?? strictness}
        </span>
      )}{" "}
      <Link to="/o/$org/policies/$policy/versions" params={{ org: orgId, policy: policyId }} search={{ from, to }}>
        {texts.compare}
      </Link>
      {isBack && <span className={style.by}>{texts.olderVersion}</span>}
      {error !== null && <span className={style.by}>{en.policy.strictness.unknown}</span>}
      {!isBack && (
        <ul className={style.reasons}>
          {data?.changes.slice(0, maxReasons).map(({ path, text }) => (
            <li key={`${path} ${text}`}>{text}</li>
          ))}
        </ul>
      )}
    </li>
  );
}

const maxReasons = 5;

function reversed(strictness: string): string {
  return { stricter: "weaker", weaker: "stricter" }[strictness] ?? strictness;
}

/** What the policies of one bundle become when another takes its place. */
export function comparePolicies(
  before: readonly BundlePolicy[],
  after: readonly BundlePolicy[],
): Parameters<typeof PolicyChanges>[0] {
  const had = new Map(before.map((policy) => [policy.policyId, policy]));
  const has = new Set(after.map(({ policyId }) => policyId));
  return {
    added: after.filter(({ policyId }) => !had.has(policyId)),
    removed: before.filter(({ policyId }) => !has.has(policyId)),
    changed: after.flatMap(({ policyId, name, version }) => {
      const activeVersion = had.get(policyId)?.version;
      return activeVersion === undefined || activeVersion === version
        ? []
        : [{ policyId, name, activeVersion, version }];
    }),
  };
}
