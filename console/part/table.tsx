import { type ReactNode, useEffect, useRef, useState } from "react";
import { listMark, useRowKeys } from "./keys/row-keys.ts";
import { useRowLink } from "./keys/row-link.ts";
import { Pager } from "./pager.tsx";
import style from "./table.module.css";

/** One column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand at the right, in digits of equal width. */
  readonly isNumber?: boolean;
  /** What people wrote: a word of it may be of any length. */
  readonly isFree?: boolean;
  /** Left out on phones. */
  readonly isExtra?: boolean;
  /**
   * Where it stands on phones, when the rows of the table have two lines there: in the first one, which the first
   * column begins, with most of its room ("main", else the first column has that), or at its end; in the second one, with
   * the name of the column where a value does not say what it is ("named"), with the room that is left ("rest", cut off
   * where it is too long), or at its end ("deeds").
   */
  readonly phone?: "main" | "end" | "below" | "named" | "rest" | "deeds";
}

/** More rows than anybody reads at once make a page slow: the others are a step away. */
const maxRows = 100;

/**
 * A table whose rows are read as a whole, moved through by keys, and each one link. With columns that say where they
 * stand on phones, rows have two lines there.
 */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
}: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const scrolls = useScrolls(frame);
  useRowKeys(frame);
  useRowLink(frame);
  const [chosen, setFrom] = useState(0);
  // Another filter may leave fewer rows than were passed over.
  const from = chosen < rows.length ? chosen : 0;
  const hasLines = columns.some(({ phone }) => phone !== undefined);
  const main = columns.find(({ phone }) => phone === "main") ?? columns[0];
  const table = (
    // What scrolls has to be reachable by keyboard.
    <div ref={frame} className={style.frame} {...listMark} tabIndex={scrolls ? 0 : undefined}>
      <table className={`${style.table} ${hasLines ? style.lines : ""}`} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(from, from + maxRows).map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td
                  key={column.title}
                  className={`${classOf(column)} ${column === main ? style.main : ""}`}
                  data-title={column.title}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
  if (rows.length <= maxRows) return table;
  return (
    <>
      {table}
      <Pager offset={from} size={maxRows} total={rows.length} onMove={setFrom} />
    </>
  );
}

/** Whether the element is too narrow for what it holds. */
function useScrolls(element: { readonly current: HTMLElement | null }): boolean {
  const [scrolls, setScrolls] = useState(false);
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(() => setScrolls(current.scrollWidth > current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return scrolls;
}

function classOf<Row>({ isNumber = false, isFree = false, isExtra = false, phone }: Column<Row>): string {
  const isBelow = phone === "named" || phone === "rest";
  const places = [isBelow ? style.below : "", phone === undefined ? "" : style[phone]];
  const kinds = [isNumber ? style.number : "", isFree ? style.free : "", isExtra ? style.extra : ""];
  return [...kinds, ...places].join(" ").trim();
}
