import { type ReactNode, useLayoutEffect, useRef } from "react";
import style from "./page.module.css";
import { useTitle } from "./title.ts";

/** A page: its one heading, which has the focus after a navigation, its actions, its content. */
export function Page({
  title,
  note,
  actions,
  children,
}: {
  readonly title: string;
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useTitle(title);
  // Before it is painted: whoever goes to a field of the page at once stays there.
  useLayoutEffect(() => {
    // Whoever is at a choice of the frame, such as that of the project, goes on there.
    if (document.activeElement?.matches("header select, nav select")) return;
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className={style.page}>
      <header className={style.header}>
        <div className={style.title}>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {note !== undefined && <span>{note}</span>}
        </div>
        <div className={style.actions}>{actions}</div>
      </header>
      {children}
    </div>
  );
}
