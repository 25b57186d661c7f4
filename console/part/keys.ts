import { useLayoutEffect, useRef } from "react";

const preference = "policy-guard.single-keys";

/** The key that begins what a page makes. */
export const createKey = "c";

/** Whether single keys do anything. People who dictate, or who miss keys, switch them off (WCAG 2.1.4). */
export function areSingleKeysOn(): boolean {
  return localStorage.getItem(preference) !== "off";
}

/** Switches single keys on or off, in this browser. */
export function switchSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(preference);
  else localStorage.setItem(preference, "off");
}

/** Keys that go on while they are held; one that marks or skips would do it to what comes next, unseen. */
const moving: ReadonlySet<string> = new Set(["j", "k", "ArrowLeft", "ArrowRight"]);

/** What single keys do on a page, by the name that events give them. Not while somebody types or answers a dialog. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  // Before the page is painted: what is seen takes keys.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isKeyTaken(event) || !areSingleKeysOn()) return;
      const act = latest.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      if (!event.repeat || moving.has(event.key)) act();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}

/** Whether a key belongs to where it was pressed: a field, a dialog, a chart. */
export function isKeyTaken(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  if (document.querySelector("dialog[open]") !== null) return true;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName) || target.role === "slider")
  );
}
