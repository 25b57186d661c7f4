import { type KeyboardEvent, type ReactNode, useId, useRef } from "react";
import style from "./tabs.module.css";

/** One tab and its panel. */
export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly panel: ReactNode;
}

/** Panels of which one is shown; arrows move between the tabs (ARIA's pattern of tabs with automatic activation). */
export function Tabs({
  label,
  tabs,
  chosen,
  onChoose,
  aside,
}: {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
  readonly aside?: ReactNode;
}) {
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = tabs.findIndex(({ id }) => id === chosen);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChoose(next.id);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  };
  const current = tabs.find(({ id }) => id === chosen) ?? tabs[0];
  return (
    <div className={style.tabs}>
      <div className={style.top}>
        <div ref={list} role="tablist" aria-label={label} className={style.list} onKeyDown={move}>
          {tabs.map(({ id, title }) => (
            <button
              key={id}
              type="button"
              role="tab"
              data-tab={id}
              id={`${base}-${id}`}
              aria-selected={id === current?.id}
              aria-controls={`${base}-panel`}
              tabIndex={id === current?.id ? 0 : -1}
              onClick={() => onChoose(id)}
            >
              {title}
            </button>
          ))}
        </div>
        {aside}
      </div>
      <div
        id={`${base}-panel`}
        role="tabpanel"
        aria-labelledby={`${base}-${current?.id}`}
        className={style.panel}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a panel that scrolls has to be reachable by keyboard
        tabIndex={0}
      >
        {current?.panel}
      </div>
    </div>
  );
}
