import { type RefObject, useEffect, useId, useRef, useState } from "react";

/** The row that a mark led to, and the mark. */
export interface Pointed {
  readonly row: number;
  readonly mark: HTMLElement;
}

/** The way from marks of texts to the rows of a list of findings, and back. */
export interface Lead {
  readonly list: RefObject<HTMLUListElement | null>;
  readonly idOf: (row: number) => string;
  readonly pointed: Pointed | undefined;
  /** The first row that is shown. */
  readonly from: number;
  readonly showFrom: (row: number) => void;
  /** Leads to the first of these rows, and to the next one each time that the same mark is pressed again. */
  readonly follow: (rows: readonly number[], mark: HTMLElement) => void;
}

/** How many rows a list of findings shows at once. */
export const rowsShown = 100;

/** Leads to the rows of these findings; with other ones it begins anew. */
export function useLead(findings: readonly unknown[]): Lead {
  const base = useId();
  const list = useRef<HTMLUListElement>(null);
  const [place, setPlace] = useState<{ of: readonly unknown[]; from: number; pointed?: Pointed }>({
    of: findings,
    from: 0,
  });
  const { from, pointed } = place.of === findings ? place : { from: 0, pointed: undefined };
  // Only when a mark was pressed: who comes back to the list later keeps the focus where it is.
  useEffect(() => {
    if (pointed !== undefined) list.current?.querySelector<HTMLElement>("[aria-current]")?.focus();
  }, [pointed]);
  return {
    list,
    idOf: (row) => `${base}-${row}`,
    pointed,
    from,
    showFrom: (row) => setPlace({ of: findings, from: row, ...(pointed === undefined ? {} : { pointed }) }),
    follow: (rows, mark) => {
      const last = pointed?.mark === mark ? rows.indexOf(pointed.row) : -1;
      const row = rows[(last + 1) % rows.length];
      if (row === undefined) return;
      setPlace({ of: findings, from: row - (row % rowsShown), pointed: { row, mark } });
    },
  };
}
