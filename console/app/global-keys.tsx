// The keys that work on every page of an organization, and what they open.

import { type AnyRouter, useNavigate, useRouter } from "@tanstack/react-router";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { useOrganization } from "../data/organization.ts";
import { Button } from "../part/button.tsx";
import { type Command, goKey, isPressed, shownKey } from "../part/keys/shortcuts.ts";
import { areSingleKeysOn, isKeyTaken, keyHints } from "../part/keys/use-keys.ts";
import { useLatest } from "../part/latest.ts";
import { en } from "../text/en.ts";
import { deferred, MissingDialog } from "./deferred.tsx";
import { narrowed, useLookedAt } from "./looked-at.ts";
import { navigationPages } from "./pages.ts";
import type { TypedAhead } from "./palette.tsx";
import shell from "./shell.module.css";

const Palette = deferred(async () => (await import("./palette.tsx")).Palette, MissingDialog);
const KeySheet = deferred(async () => (await import("./key-sheet.tsx")).KeySheet, MissingDialog);

/** Time within which the second key has to follow the first. */
const chordMs = 1_500;

/** The buttons of the palette and of the sheet of keys; with them, the keys and the dialogs that they open. */
export function GlobalKeys() {
  const [open, setOpen] = useState<"palette" | "keys">();
  /** What is typed at the palette while it still loads; undefined unless it was asked for. */
  const typedAhead = useRef<TypedAhead>(undefined);
  const show = (what: "palette" | "keys" | undefined) => {
    typedAhead.current = what === "palette" ? { text: "", isEntered: false } : undefined;
    setOpen(what);
  };
  useGlobalKeys(show, typedAhead);
  const close = () => show(undefined);
  return (
    <>
      <span className={shell.find}>
        <Button hotkey="palette" title={en.keys.palette} onClick={() => show("palette")}>
          {en.keys.button} <kbd>{shownKey("palette")}</kbd>
        </Button>
      </span>
      <button
        type="button"
        className={shell.barButton}
        aria-label={en.keys.showKeys}
        {...keyHints("sheet", en.keys.showKeys)}
        onClick={() => show("keys")}
      >
        ?
      </button>
      {open === "palette" && <Palette typedAhead={typedAhead} onKeys={() => show("keys")} onClose={close} />}
      {open === "keys" && <KeySheet onClose={close} />}
    </>
  );
}

function useGlobalKeys(
  onOpen: (what: "palette" | "keys" | undefined) => void,
  typedAhead: RefObject<TypedAhead | undefined>,
): void {
  const { orgId } = useOrganization();
  const navigate = useNavigate();
  const looked = useLookedAt();
  const go = useRef((_: string) => {});
  go.current = (to) => navigate({ to, params: { org: orgId }, search: narrowed(to, looked) });
  const open = useLatest(onOpen);
  const router = useRouter();
  // Once, whatever the page comes to look at: the first key of two is not forgotten.
  useLayoutEffect(() => {
    let begunAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent) => {
      const isBehindDialog = document.querySelector("dialog[open]") !== null;
      if (isPressed("palette", event)) {
        event.preventDefault();
        if (!isBehindDialog) open.current("palette");
        return;
      }
      if (typedAhead.current !== undefined && !isBehindDialog) {
        if (isPressed("close", event)) open.current(undefined);
        else typedAhead.current = typeAhead(typedAhead.current, event);
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isKeyTaken(event) || !areSingleKeysOn()) return;
      if (event.key === goKey) {
        begunAt = event.timeStamp;
        return;
      }
      const after = event.timeStamp - begunAt <= chordMs ? goKey : "";
      begunAt = Number.NEGATIVE_INFINITY;
      const page = navigationPages.find(({ go }) => go !== undefined && isPressed(go, event, after));
      if (page !== undefined) {
        event.stopImmediatePropagation();
        go.current(page.to);
      } else if (isPressed("sheet", event)) open.current("keys");
      else if (isPressed("search", event)) onItsPage(router, event, focusSearch);
      else if (isPressed("create", event)) onItsPage(router, event, pressCreate);
    };
    // Before the editor and the page, which have uses of their own for some of these keys.
    document.addEventListener("keydown", onKey, { capture: true });
    return () => document.removeEventListener("keydown", onKey, { capture: true });
  }, [open, typedAhead, router]);
}

/** What was typed, with the key, if it is one of the palette; no other part of the page takes it then. */
function typeAhead(typed: TypedAhead, event: KeyboardEvent): TypedAhead {
  const { key } = event;
  const { text } = typed;
  const edits = { Backspace: { text: text.slice(0, -1), isEntered: false }, Enter: { text, isEntered: true } };
  const edited = key.length === 1 ? { text: text + key, isEntered: false } : edits[key as keyof typeof edits];
  if (event.ctrlKey || event.metaKey || event.altKey || edited === undefined) return typed;
  event.preventDefault();
  event.stopImmediatePropagation();
  return edited;
}

/** Acts on the page of the address: while that one loads, the former one is still shown, and is not what is meant. */
function onItsPage(router: AnyRouter, event: KeyboardEvent, act: (event: KeyboardEvent) => void): void {
  if (router.state.status === "idle") {
    act(event);
    return;
  }
  event.preventDefault();
  const end = router.subscribe("onRendered", () => {
    end();
    if (document.querySelector("dialog[open]") === null) act(event);
  });
}

function pressCreate(event: KeyboardEvent): void {
  const create: Command = "create";
  const deed = document.querySelector<HTMLElement>(`main [data-deed="${create}"]`);
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
