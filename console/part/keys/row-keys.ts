// Moving through the rows of a list by keys. The focus itself moves: Tab goes on from the row to what stands in it,
// screen readers read it, and the browser shows where it is.

import type { RefObject } from "react";
import { linkOf } from "./row-link.ts";
import { useKeys } from "./use-keys.ts";

/** What marks the element around a list. */
export const listMark = { "data-list": "" } as const;

/** A list of which one row is open beside it. */
interface OpenRow {
  /** Which one; undefined while none is. */
  readonly at: number | undefined;
  /** Opens another one, which moving does too. */
  readonly onOpen: (at: number) => void;
}

/**
 * The keys of a list. Of several on a page, the one that has the focus takes them, else the first. Arrows scroll the
 * page unless the list has the focus.
 */
export function useRowKeys(list: RefObject<HTMLElement | null>, row?: OpenRow): void {
  const move = (step: number) => {
    const rows = rowsOf(list.current);
    // The page learns later which row is open: two keys in a row are two steps.
    const focusedAt = focusedIn(rows);
    const from = focusedAt < 0 ? (row?.at ?? -1) : focusedAt;
    const at = Math.min(Math.max(from + step, 0), rows.length - 1);
    focusRow(rows, at);
    if (at >= 0) row?.onOpen(at);
  };
  const focused = () => rowsOf(list.current).find((each) => each === document.activeElement);
  const open = () => {
    if (row === undefined) follow(focused());
    else row.onOpen(focusedIn(rowsOf(list.current)));
  };
  useKeys({ next: () => move(1), previous: () => move(-1) }, (event) => isOf(list.current, event));
  // On what stands in a row, these keys are its own.
  const isAnyOpen = row?.at !== undefined;
  useKeys({ open, ...(isAnyOpen ? {} : { close: () => focused()?.blur() }) }, () => focused() !== undefined);
}

function rowsOf(list: HTMLElement | null): readonly HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>(":scope > table > tbody > tr, :scope > li") ?? [])];
}

/** Which of them has the focus, or something in it has; -1 for none. */
function focusedIn(rows: readonly HTMLElement[]): number {
  return rows.findIndex((each) => each.contains(document.activeElement));
}

function isOf(list: HTMLElement | null, { key }: KeyboardEvent): boolean {
  const focused = document.activeElement?.closest("[data-list]") ?? null;
  if (focused !== null) return focused === list;
  const shown = [...document.querySelectorAll("[data-list]")].find((each) => each.checkVisibility());
  return shown === list && !key.startsWith("Arrow");
}

/** Only one row can have the focus: a click into another is no choice of it, and dialogs give it back to this one. */
function focusRow(rows: readonly HTMLElement[], at: number): void {
  for (const row of rows) row.removeAttribute("tabindex");
  const row = rows[at];
  if (row === undefined) return;
  row.tabIndex = -1;
  row.focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

/** Goes where the row leads. In one that leads nowhere, to the first thing that can be pressed. */
function follow(row: HTMLElement | undefined): void {
  const link = linkOf(row);
  if (link !== null) link.click();
  else row?.querySelector<HTMLElement>("button")?.focus();
}
