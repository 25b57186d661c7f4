import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import type {
  BundleComparison,
  ComparedBundlePart,
  ComparedList,
  ComparedPolicy,
} from "../../../../gen/policyguard/control/v1/bundle_pb.ts";
import { BundleService } from "../../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { useOrganization } from "../../../data/organization.ts";
import { Changes, Effect, Witnesses } from "../../../part/judgement/meaning.tsx";
import { Answered } from "../../../part/state.tsx";
import { en } from "../../../text/en.ts";
import { count } from "../../../text/format.ts";
import type { Place } from "../place.ts";
import style from "./compare.module.css";

const texts = en.compareBundles;

/** What differs in meaning when a version takes the place of another one, of whichever environment. */
export function Comparison({
  place,
  version,
  base,
}: {
  readonly place: Place;
  readonly version: number;
  readonly base: { readonly env: string; readonly version: number };
}) {
  const query = useQuery(BundleService.method.compareBundles, {
    ...{ ...place, version, baseEnv: base.env, baseVersion: base.version },
  });
  return (
    <Answered query={query} rows={3}>
      {({ comparison }) => comparison !== undefined && <Differences comparison={comparison} />}
    </Answered>
  );
}

function Differences({
  comparison: { strictness, policies, lists, parts },
}: {
  readonly comparison: BundleComparison;
}) {
  if (policies.length + lists.length + parts.length === 0) return <p>{texts.same}</p>;
  return (
    <div className={style.differences}>
      <p className={strictness === "weaker" ? style.weaker : ""} role="status">
        <strong>{texts.verdicts[strictness] ?? strictness}</strong>{" "}
        {lists.length + parts.length > 0 && <span className={style.dim}>{texts.because}</span>}
      </p>
      {policies.length > 0 && (
        <ul className={style.entries} aria-label={texts.policies}>
          {policies.map((policy) => (
            <Policy key={policy.policyId} policy={policy} />
          ))}
        </ul>
      )}
      {lists.length > 0 && (
        <ul className={style.entries} aria-label={texts.lists}>
          {lists.map((list) => (
            <List key={list.listId} list={list} />
          ))}
        </ul>
      )}
      {parts.length > 0 && <Parts parts={parts} />}
    </div>
  );
}

function Policy({ policy }: { readonly policy: ComparedPolicy }) {
  const { orgId } = useOrganization();
  const { policyId, name, baseVersion, version, strictness, reasons, changes, witnesses } = policy;
  const isChanged = baseVersion !== undefined && version !== undefined;
  const text = isChanged && baseVersion !== version;
  return (
    <li>
      <p className={style.head}>
        <strong>{name}</strong>
        <span className={style.dim}>{toldVersions(baseVersion, version)}</span>
        <Effect value={strictness} />
        {text && (
          <Link
            to="/o/$org/policies/$policy/versions"
            params={{ org: orgId, policy: policyId }}
            search={{ from: baseVersion, to: version }}
          >
            {texts.text}
          </Link>
        )}
      </p>
      {isChanged && changes.length === 0 && <p className={style.dim}>{en.versions.noChanges}</p>}
      <Changes changes={changes} />
      {strictness === "unknown" && changes.every(({ effect }) => effect !== "unknown") && (
        <p className={style.dim}>{reasons.filter((reason) => reason.startsWith("unknown: ")).join("; ")}</p>
      )}
      <Witnesses witnesses={witnesses} />
    </li>
  );
}

function toldVersions(before: number | undefined, after: number | undefined): string {
  if (before === undefined) return texts.comes(after ?? 0);
  if (after === undefined) return texts.goes(before);
  return before === after ? en.common.version(after) : en.bundle.changed(before, after);
}

function List({ list: { name, added, removed, addedItems, removedItems } }: { readonly list: ComparedList }) {
  return (
    <li>
      <p className={style.head}>
        <strong>{name}</strong>
        <span className={style.dim}>{texts.items(count(added), count(removed))}</span>
        <Effect value="unknown" />
      </p>
      <Items sign="+" items={addedItems} total={added} />
      <Items sign="−" items={removedItems} total={removed} />
    </li>
  );
}

function Items({
  sign,
  items,
  total,
}: {
  readonly sign: string;
  readonly items: readonly string[];
  readonly total: number;
}) {
  if (items.length === 0) return null;
  return (
    <p className={style.items}>
      {sign}{" "}
      {items.map((item) => (
        <code key={item}>{item}</code>
      ))}
      {total > items.length && <span className={style.dim}>{texts.moreItems(count(total - items.length))}</span>}
    </p>
  );
}

function Parts({ parts }: { readonly parts: readonly ComparedBundlePart[] }) {
  return (
    <details>
      <summary>
        {en.bundle.parts} ({parts.length})
      </summary>
      <p className={style.dim}>{texts.partsText}</p>
      <ul className={style.parts}>
        {parts.map(({ path, baseDigest, digest }) => (
          <li key={path}>
            <code>{path}</code>{" "}
            <span className={style.dim}>
              {baseDigest === undefined ? texts.new : digest === undefined ? texts.gone : texts.other}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
