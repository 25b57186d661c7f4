// The keys that work on every page of an organization, and what they open.

import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useLayoutEffect, useRef, useState } from "react";
import { useOrganization } from "../data/organization.ts";
import { Button } from "../part/button.tsx";
import { areSingleKeysOn, createKey, isKeyTaken } from "../part/keys.ts";
import { en } from "../text/en.ts";
import { narrowed, useLookedAt } from "./looked-at.ts";
import { navigationPages } from "./pages.ts";
import shell from "./shell.module.css";

const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }));
const KeySheet = lazy(async () => ({ default: (await import("./key-sheet.tsx")).KeySheet }));

/** As the keyboard of this machine names it. */
const paletteKey = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K";
/** Time within which the second key has to follow the `g`. */
const chordMs = 1_500;

/** The buttons of the palette and of the sheet of keys; with them, the keys and the dialogs that they open. */
export function GlobalKeys() {
  const [open, setOpen] = useState<"palette" | "keys">();
  useGlobalKeys(setOpen);
  const close = () => setOpen(undefined);
  return (
    <>
      <span className={shell.find}>
        <Button title={`${paletteKey}: ${en.keys.palette}`} onClick={() => setOpen("palette")}>
          {en.keys.button} <kbd>{paletteKey}</kbd>
        </Button>
      </span>
      <button
        type="button"
        className={shell.barButton}
        aria-label={en.keys.showKeys}
        aria-keyshortcuts="?"
        title={`?: ${en.keys.showKeys}`}
        onClick={() => setOpen("keys")}
      >
        ?
      </button>
      <Suspense>
        {open === "palette" && <Palette onKeys={() => setOpen("keys")} onClose={close} />}
        {open === "keys" && <KeySheet onClose={close} />}
      </Suspense>
    </>
  );
}

function useGlobalKeys(onOpen: (what: "palette" | "keys") => void): void {
  const { orgId } = useOrganization();
  const navigate = useNavigate();
  const looked = useLookedAt();
  const go = useRef((_: string) => {});
  go.current = (to) => navigate({ to, params: { org: orgId }, search: narrowed(to, looked) });
  // Once, whatever the page comes to look at: the `g` of a chord is not forgotten.
  useLayoutEffect(() => {
    let begunAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent) => {
      if (isPaletteKey(event)) {
        event.preventDefault();
        if (document.querySelector("dialog[open]") === null) onOpen("palette");
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isKeyTaken(event) || !areSingleKeysOn()) return;
      if (event.key === "g") {
        begunAt = event.timeStamp;
        return;
      }
      const page = navigationPages.find(({ key }) => key === event.key);
      const isChord = event.timeStamp - begunAt <= chordMs;
      begunAt = Number.NEGATIVE_INFINITY;
      if (isChord && page !== undefined) {
        event.stopImmediatePropagation();
        go.current(page.to);
      } else if (event.key === "?") onOpen("keys");
      else if (event.key === "/") focusSearch(event);
      else if (event.key === createKey) pressCreate(event);
    };
    // Before the editor and the page, which have uses of their own for some of these keys.
    document.addEventListener("keydown", onKey, { capture: true });
    return () => document.removeEventListener("keydown", onKey, { capture: true });
  }, [onOpen]);
}

function isPaletteKey(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
}

function pressCreate(event: KeyboardEvent): void {
  const deed = document.querySelector<HTMLElement>(`main [aria-keyshortcuts="${createKey}"]`);
  if (deed === null) return;
  // The key is not typed into the first field of what opens.
  event.preventDefault();
  deed.click();
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLElement>("main search input, main search select");
  if (field === null) return;
  event.preventDefault();
  field.focus();
}
