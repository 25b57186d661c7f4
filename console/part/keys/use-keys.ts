import { useLayoutEffect, useRef } from "react";
import { singleKeys } from "../appearance.ts";
import { ariaKey, type Command, commands, isPressed, isSingle, shortcuts, shownKey } from "./shortcuts.ts";

/** Whether single keys do anything, as it is now. */
export function areSingleKeysOn(): boolean {
  return singleKeys.chosen() === "on";
}

/** The first keys of a command, for people; undefined while they do nothing. */
export function workingKey(command: Command): string | undefined {
  return isSingle(command) && !areSingleKeysOn() ? undefined : shownKey(command);
}

/** What a control says of the keys that press it, beside what its own title says. */
export function keyHints(command: Command | undefined, title?: string) {
  const key = command && workingKey(command);
  if (command === undefined || key === undefined) return { title };
  return { title: title === undefined ? key : `${key}: ${title}`, "aria-keyshortcuts": ariaKey(command) };
}

/**
 * What single keys do on a page. Not while somebody types or answers a dialog, and where it is said which keys are its
 * own, only those.
 */
export function useKeys(
  acts: Readonly<Partial<Record<Command, () => void>>>,
  isOwn: (event: KeyboardEvent) => boolean = () => true,
): void {
  const latest = useRef({ acts, isOwn });
  latest.current = { acts, isOwn };
  // Before the page is painted: what is seen takes keys.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { acts, isOwn } = latest.current;
      const command = commands.find((each) => acts[each] !== undefined && isPressed(each, event));
      if (command === undefined || event.defaultPrevented || isKeyTaken(event) || !areSingleKeysOn()) return;
      if (!isOwn(event)) return;
      event.preventDefault();
      if (!event.repeat || shortcuts[command].repeats) acts[command]?.();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/** Whether a key belongs to where it was pressed: a field, a dialog, a menu, a chart. */
export function isKeyTaken(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  // `:is` passes over what a browser does not know yet.
  if (document.querySelector(":is(dialog[open], :popover-open)") !== null) return true;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || target.role === "slider")
  );
}
