import style from "./outcome.module.css";
import type { OutcomeName } from "./outcome-name.ts";

const shapes: Readonly<Record<OutcomeName, string>> = { ALLOW: "●", FLAG: "▲", REDACT: "◆", BLOCK: "■" };

/** An outcome as shape, word and colour, so that none of them stands alone. */
export function Outcome({ value, label }: { readonly value: OutcomeName | undefined; readonly label?: string }) {
  if (value === undefined) return <span className={style.none}>–</span>;
  return (
    <span className={`${style.outcome} ${style[value]}`}>
      <span aria-hidden="true">{shapes[value]}</span>
      {label ?? value}
    </span>
  );
}
