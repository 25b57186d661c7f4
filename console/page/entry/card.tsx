import type { ReactNode } from "react";
import { Mark } from "../../part/mark.tsx";
import { useTitle } from "../../part/title.ts";
import { en } from "../../text/en.ts";
import style from "./entry.module.css";

/** A page of its own with one thing to do. */
export function EntryCard({
  title,
  children,
  links,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly links?: ReactNode;
}) {
  useTitle(title);
  return (
    <main className={style.entry}>
      <div className={style.card}>
        <p className={style.brand}>
          <Mark />
          {en.product}
        </p>
        <h1>{title}</h1>
        {children}
        {links !== undefined && <p className={style.links}>{links}</p>}
      </div>
    </main>
  );
}
