import { type KeyboardEvent, type MouseEvent, useId, useRef } from "react";
import style from "./menu.module.css";

/** One thing to choose. */
export interface MenuItem {
  readonly title: string;
  readonly onChoose: () => void;
}

/**
 * A button that opens a menu of deeds; absent where there are none. Arrows move, Escape closes (ARIA's menu button).
 */
export function Menu({ label, items }: { readonly label: string; readonly items: readonly MenuItem[] }) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  if (items.length === 0) return null;
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const entries = [...(list.current?.querySelectorAll("button") ?? [])];
    const at = entries.indexOf(document.activeElement as HTMLButtonElement);
    entries[(at + step + entries.length) % entries.length]?.focus();
  };
  // Opened here and not by the browser, which tells of it later: a key pressed meanwhile would be the button's.
  const toggle = (event: MouseEvent) => {
    event.preventDefault();
    list.current?.togglePopover();
    if (list.current?.matches(":popover-open") !== true) return;
    place(button.current, list.current);
    list.current.querySelector("button")?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={style.button}
        popoverTarget={id}
        aria-label={label}
        aria-haspopup="menu"
        onClick={toggle}
      >
        <span aria-hidden="true">⋯</span>
      </button>
      <div ref={list} id={id} popover="auto" role="menu" className={style.menu} onKeyDown={move}>
        {items.map(({ title, onChoose }) => (
          <button
            key={title}
            type="button"
            role="menuitem"
            onClick={() => {
              list.current?.hidePopover();
              onChoose();
            }}
          >
            {title}
          </button>
        ))}
      </div>
    </>
  );
}

/** Below the button, at its end; above it where there is no room. */
function place(button: HTMLElement | null, menu: HTMLElement | null): void {
  if (button === null || menu === null) return;
  const { right, bottom, top } = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const isRoom = bottom + height + 4 <= innerHeight;
  menu.style.left = `${Math.max(8, right - width)}px`;
  menu.style.top = `${isRoom ? bottom + 4 : Math.max(8, top - height - 4)}px`;
}
