// Finds what there is and what can be done. ARIA's combobox with a list: the focus stays in the field.

import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from "react";
import { Dialog } from "../part/dialog.tsx";
import { useEntered } from "../part/form/entered.ts";
import type { Command } from "../part/keys/shortcuts.ts";
import { workingKey } from "../part/keys/use-keys.ts";
import { en } from "../text/en.ts";
import style from "./palette.module.css";
import { type PaletteEntry, usePaletteEntries } from "./palette-entries.ts";

const texts = en.keys;

/** What was typed at the palette before it had loaded. */
export interface TypedAhead {
  readonly text: string;
  /** Whether Enter came after it. */
  readonly isEntered: boolean;
}

/** The palette, which closes when something is chosen. It begins with what was typed before it had loaded. */
export function Palette({
  typedAhead,
  onKeys,
  onClose,
}: {
  readonly typedAhead: RefObject<TypedAhead | undefined>;
  readonly onKeys: () => void;
  readonly onClose: () => void;
}) {
  const id = useId();
  const [text, setText] = useState(() => typedAhead.current?.text ?? "");
  const [at, setAt] = useState(0);
  const [gone, setGone] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const { found, isLoading } = usePaletteEntries(text, onKeys);
  const chosen = Math.min(at, found.length - 1);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const choose = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    if (entry.isGone?.()) {
      setGone(entry.title);
      return;
    }
    onClose();
    entry.choose();
  };
  const { isEntered, enter, withdraw } = useEntered({
    isLoading,
    takeFirst: () => choose(found[0]),
    // Of an empty text nobody knows what Enter would take.
    isBegun: text !== "" && typedAhead.current?.isEntered === true,
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      setAt((chosen + step + found.length) % Math.max(1, found.length));
      withdraw();
    } else if (event.key === "Enter" && found.length === 0) enter();
    else if (event.key === "Enter") choose(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={texts.find} onClose={onClose}>
      <input
        className={style.field}
        // Not a field of searches: there, Firefox takes an Escape to empty it, and the palette stays.
        type="text"
        role="combobox"
        aria-label={texts.find}
        placeholder={texts.findHint}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={found[chosen] === undefined ? undefined : `${id}-${chosen}`}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
          setGone(undefined);
          withdraw();
        }}
        onKeyDown={onKeyDown}
      />
      <div className={style.results}>
        <div ref={list} id={id} role="listbox" aria-label={texts.results} className={style.list}>
          {found.map((entry, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field chooses
            // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names the chosen one
            <div
              key={entry.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === chosen}
              className={index === chosen ? style.chosen : ""}
              onPointerMove={() => setAt(index)}
              onClick={() => choose(entry)}
            >
              <span className={style.title}>{entry.title}</span>
              <Key command={entry.command} />
              <span className={style.kind}>{entry.kind}</span>
            </div>
          ))}
        </div>
        {gone !== undefined && <p role="alert">{texts.gone(gone)}</p>}
        {(found.length === 0 || isEntered) && <p role="status">{isLoading ? en.common.loading : texts.nothing}</p>}
      </div>
    </Dialog>
  );
}

function Key({ command }: { readonly command: Command | undefined }) {
  const key = command && workingKey(command);
  return key !== undefined && <kbd>{key}</kbd>;
}
