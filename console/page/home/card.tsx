import type { ReactNode } from "react";
import style from "./home.module.css";

/** One card of the page. */
export function Card({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={style.card}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
