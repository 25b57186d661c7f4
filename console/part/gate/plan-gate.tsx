import { Link } from "@tanstack/react-router";
import { en } from "../../text/en.ts";
import style from "./plan-gate.module.css";

interface Named {
  readonly displayName: string;
}

/** Says that the plan lacks a feature, and which one has it. Absent where the plan has it, or is not known yet. */
export function PlanGate({
  gate: { isIncluded, current, needed },
  what,
  billing,
}: {
  readonly gate: {
    readonly isIncluded: boolean | undefined;
    readonly current: Named | undefined;
    readonly needed: Named | undefined;
  };
  readonly what: string;
  /** The organization whose plans the person may look at; undefined where they may not. */
  readonly billing: string | undefined;
}) {
  if (isIncluded !== false) return null;
  return (
    <aside className={style.gate}>
      <p>{en.billing.gate(what, needed?.displayName ?? "", current?.displayName ?? "")}</p>
      {billing === undefined ? (
        <p>{en.billing.gateAsk}</p>
      ) : (
        <Link to="/o/$org/settings/billing" params={{ org: billing }}>
          {en.billing.gatePlans}
        </Link>
      )}
    </aside>
  );
}
