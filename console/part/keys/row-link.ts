// A press anywhere on a row goes where the link in it leads. That link stays what keyboards and screen readers use, and
// nothing lies above the row: its texts can be selected, and what has a title tells it.

import { type RefObject, useEffect } from "react";

const middleButton = 1;
/** A pointer that goes further than this while it is pressed selects text. */
const stillPx = 3;
/** What lies in front of the page, though its place in the document is the row that opened it. */
const inFront = "dialog, [popover]";
/** What a press on it belongs to. */
const ownPress = `a, button, input, select, textarea, label, summary, ${inFront}`;

/** The link of a row: the first in it. */
export function linkOf(row: HTMLElement | undefined): HTMLElement | null {
  const links = [...(row?.querySelectorAll<HTMLElement>("a[href]") ?? [])];
  return links.find((link) => link.closest(inFront) === null) ?? null;
}

/** Makes each row of the table in this element one link. */
export function useRowLink(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const linkAt = (event: MouseEvent) => linkUnder(event, list.current);
    const from = { x: 0, y: 0 };
    const onDown = (event: MouseEvent) => {
      Object.assign(from, { x: event.clientX, y: event.clientY });
      // On a link the middle button does not begin to scroll.
      if (event.button === middleButton && linkAt(event) !== null) event.preventDefault();
    };
    const onClick = (event: MouseEvent) => {
      const inTab = event.button === middleButton || event.ctrlKey || event.metaKey;
      if (event.button > middleButton || event.shiftKey || event.altKey) return;
      const isDrawn = Math.hypot(event.clientX - from.x, event.clientY - from.y) > stillPx;
      if (isDrawn && document.getSelection()?.isCollapsed === false) return;
      const keys = { ctrlKey: inTab, metaKey: inTab };
      linkAt(event)?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ...keys }));
    };
    // On the document: after what the page itself makes of the press.
    const listening = new AbortController();
    const { signal } = listening;
    document.addEventListener("mousedown", onDown, { signal });
    document.addEventListener("click", onClick, { signal });
    document.addEventListener("auxclick", onClick, { signal });
    return () => listening.abort();
  }, [list]);
}

/** The link that a press stands for; null where it is another thing's. */
function linkUnder({ target, defaultPrevented }: MouseEvent, list: HTMLElement | null): HTMLElement | null {
  if (defaultPrevented || !(target instanceof Element) || target.closest(ownPress) !== null) return null;
  const row = target.closest<HTMLElement>("tbody > tr");
  return row !== null && list?.contains(row) === true ? linkOf(row) : null;
}
