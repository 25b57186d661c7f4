import { Link } from "@tanstack/react-router";
import type { ApplyPackResponse } from "../../../gen/policyguard/control/v1/pack_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { Badge } from "../../part/badge.tsx";
import layout from "../../part/layout/layout.module.css";
import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";

const texts = en.packs;
/** A new policy has a change for each of its rules; so many show what kind it is. */
const maxChanges = 30;

/** What applying a pack has done, or would do. */
export function Applied({ answer }: { readonly answer: ApplyPackResponse }) {
  const { orgId } = useOrganization();
  const { dryRun, change, policyId, policyName, strictness, tests } = answer;
  const failed = tests.filter(({ passed }) => !passed);
  const told = (dryRun ? texts.wouldBe : texts.done)[change] ?? change;
  return (
    <section className={layout.stack} role="status">
      <h3>{dryRun ? texts.previewTitle : texts.doneTitle}</h3>
      <p className={layout.row}>
        {policyId === undefined ? (
          <strong>{policyName}</strong>
        ) : (
          <Link to="/o/$org/policies/$policy" params={{ org: orgId, policy: policyId }}>
            {policyName}
          </Link>
        )}{" "}
        {told}
        {change === "updated" && (
          <Badge tone={strictness === "weaker" ? "notice" : "plain"}>
            {en.policy.strictness[strictness] ?? strictness}
          </Badge>
        )}
      </p>
      <p>{texts.testsPassed(tests.length - failed.length, tests.length)}</p>
      <ul>
        {failed.map(({ name, failures }) => (
          <li key={name}>
            {name}: {failures.join(" ")}
          </li>
        ))}
      </ul>
      <Differences answer={answer} />
      {!dryRun && change !== "unchanged" && <p className={layout.dim}>{texts.publishNext}</p>}
    </section>
  );
}

function Differences({ answer: { diff, skipped } }: { readonly answer: ApplyPackResponse }) {
  return (
    <>
      {diff.length > 0 && (
        <details>
          <summary>{texts.differences(diff.length)}</summary>
          <ul className={layout.wrap}>
            {diff.slice(0, maxChanges).map(({ path, text }) => (
              <li key={`${path} ${text}`}>{text}</li>
            ))}
          </ul>
          {diff.length > maxChanges && <p>{en.edit.andMore(diff.length - maxChanges)}</p>}
        </details>
      )}
      {skipped.length > 0 && (
        <>
          <p>{texts.skipped(count(skipped.length))}</p>
          <ul>
            {skipped.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
