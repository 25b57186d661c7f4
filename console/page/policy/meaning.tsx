import type { DiffPolicyVersionsResponse } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import { en } from "../../text/en.ts";
import style from "./policy.module.css";

const texts = en.versions;

/** What a change means: whether it is stricter, by the server's reasons, what changes, and tests that show it. */
export function Meaning({
  diff: { strictness, reasons, changes, witnesses },
}: {
  readonly diff: Pick<DiffPolicyVersionsResponse, "strictness" | "reasons" | "changes" | "witnesses">;
}) {
  return (
    <div className={style.meaning}>
      <p className={strictness === "weaker" ? style.weaker : ""}>
        <strong>{en.policy.strictness[strictness] ?? strictness}</strong>{" "}
        {reasons.map((reason) => reason.replace(/^(?:stricter|weaker|equal|unknown): /, "")).join("; ")}
      </p>
      {changes.length === 0 ? (
        <p className={style.dim}>{texts.noChanges}</p>
      ) : (
        <ul>
          {changes.map(({ path, text, effect }) => (
            <li key={`${path} ${text}`}>
              <span className={style.tag}>{en.policy.strictness[effect] ?? effect}</span> {text}
            </li>
          ))}
        </ul>
      )}
      {witnesses.length > 0 && (
        <>
          <h3>{texts.witnesses}</h3>
          <ul>
            {distinct(witnesses).map(({ test, before, after }) => (
              <li key={`${test} ${before} ${after}`}>
                {test}: <Outcome value={outcomeName(before)} /> → <Outcome value={outcomeName(after)} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** A test that both versions have is told once. */
function distinct<W extends { readonly test: string; readonly before: number; readonly after: number }>(
  witnesses: readonly W[],
): W[] {
  const keyed = witnesses.map((each) => [`${each.test} ${each.before} ${each.after}`, each] as const);
  return [...new Map(keyed).values()];
}
