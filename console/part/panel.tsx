import { type ReactNode, useId } from "react";
import style from "./panel.module.css";

/** A part of a page with its own heading: what it is about, its actions, its content. */
export function Panel({
  title,
  text,
  actions,
  children,
}: {
  readonly title: string;
  readonly text?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}) {
  const id = useId();
  return (
    <section className={style.panel} aria-labelledby={id}>
      <header className={style.header}>
        <div className={style.words}>
          <h2 id={id}>{title}</h2>
          {text !== undefined && <p>{text}</p>}
        </div>
        {actions !== undefined && <div className={style.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  );
}
