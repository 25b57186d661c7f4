import type { ButtonHTMLAttributes, ReactNode } from "react";
import style from "./button.module.css";

/** A button. With `why`, it stays focusable, does nothing, and says why. */
export function Button({
  kind = "plain",
  why,
  children,
  onClick,
  type = "button",
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly kind?: "plain" | "primary" | "danger" | "quiet";
  readonly why?: string | undefined;
  readonly children: ReactNode;
}) {
  const isOff = why !== undefined;
  return (
    <button
      {...rest}
      type={isOff ? "button" : type}
      className={`${style.button} ${style[kind]}`}
      aria-disabled={isOff || undefined}
      title={why ?? rest.title}
      onClick={isOff ? undefined : onClick}
    >
      {children}
    </button>
  );
}
