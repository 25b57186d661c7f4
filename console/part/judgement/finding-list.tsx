import { en } from "../../text/en.ts";
import { Button } from "../button.tsx";
import { Pager } from "../pager.tsx";
import style from "./finding-list.module.css";
import { type Lead, rowsShown } from "./lead.ts";
import { Outcome } from "./outcome.tsx";
import type { OutcomeName } from "./outcome-name.ts";

const texts = en.findings;

/** What a row says of a finding. */
export interface ListedFinding {
  readonly row: number;
  readonly outcome: OutcomeName | undefined;
  readonly ruleId: string;
  readonly isShadow: boolean;
  readonly category: string;
  readonly score: string;
  readonly threshold: string;
}

/** Findings in the order of their rows, to which the marks of a text lead. */
export function FindingList({ findings, lead }: { readonly findings: readonly ListedFinding[]; readonly lead: Lead }) {
  if (findings.length === 0) return <p className={style.detail}>{texts.none}</p>;
  return (
    <>
      <ul ref={lead.list} className={style.findings} aria-label={texts.title}>
        {findings.slice(lead.from, lead.from + rowsShown).map((finding) => (
          <Row key={finding.row} finding={finding} lead={lead} />
        ))}
      </ul>
      <Pager offset={lead.from} size={rowsShown} total={findings.length} onMove={lead.showFrom} />
    </>
  );
}

function Row({
  finding: { row, outcome, ruleId, isShadow, category, score, threshold },
  lead: { idOf, pointed },
}: {
  readonly finding: ListedFinding;
  readonly lead: Lead;
}) {
  const isPointed = pointed?.row === row;
  return (
    <li id={idOf(row)} tabIndex={-1} aria-current={isPointed || undefined}>
      <Outcome value={outcome} />
      <span>
        <code>{ruleId}</code>
        {isShadow && <span className={style.tag}>{texts.shadow}</span>}
        <span className={style.detail}>
          {category} · {score} ≥ {threshold}
        </span>
      </span>
      {isPointed && (
        <Button kind="quiet" onClick={() => pointed.mark.focus()}>
          {texts.back}
        </Button>
      )}
    </li>
  );
}
