import { en } from "../../text/en.ts";
import { count } from "../../text/format.ts";
import { Outcome } from "./outcome.tsx";
import style from "./outcome-matrix.module.css";
import { type OutcomeName, outcomes } from "./outcome-name.ts";

const texts = en.bundle;

/** How often each outcome became which: rows are those of now, columns those of the other version. */
export function OutcomeMatrix({ cells }: { readonly cells: ReadonlyMap<string, number> }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls on a phone has to be reachable by keyboard
    <div className={style.scroll} tabIndex={0}>
      <table className={style.matrix} aria-label={texts.matrix}>
        <thead>
          <tr>
            <th scope="col">
              {texts.now} → {texts.later}
            </th>
            {outcomes.map((name) => (
              <th key={name} scope="col">
                <Outcome value={name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {outcomes.map((was) => (
            <tr key={was}>
              <th scope="row">
                <Outcome value={was} />
              </th>
              {outcomes.map((is) => (
                <td key={is} className={was === is ? style.dim : cellClass(cells.get(cellKey(was, is)) ?? 0)}>
                  {count(cells.get(cellKey(was, is)) ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The key of a cell. */
export function cellKey(was: OutcomeName | undefined, is: OutcomeName | undefined): string {
  return `${was} ${is}`;
}

function cellClass(value: number): string {
  return (value > 0 ? style.differs : style.dim) ?? "";
}
