import type { ReactNode } from "react";
import style from "./badge.module.css";

/** A state in a word or two. Colour only repeats what the word says. */
export function Badge({
  tone = "plain",
  title,
  children,
}: {
  readonly tone?: "plain" | "good" | "notice" | "bad";
  readonly title?: string;
  readonly children: ReactNode;
}) {
  return (
    <span className={`${style.badge} ${style[tone]}`} title={title}>
      {children}
    </span>
  );
}
