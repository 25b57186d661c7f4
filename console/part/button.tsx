import type { ButtonHTMLAttributes, ReactNode } from "react";
import style from "./button.module.css";

/** A button. With `why`, it stays focusable, does nothing, and says why. `hotkey` is a single key that presses it. */
export function Button({
  kind = "plain",
  why,
  hotkey,
  children,
  onClick,
  type = "button",
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly kind?: "plain" | "primary" | "danger" | "quiet";
  readonly why?: string | undefined;
  readonly hotkey?: string;
  readonly children: ReactNode;
}) {
  const isOff = why !== undefined;
  return (
    <button
      {...rest}
      type={isOff ? "button" : type}
      className={`${style.button} ${style[kind]}`}
      aria-disabled={isOff || undefined}
      aria-keyshortcuts={hotkey}
      data-deed
      title={why ?? hotkey ?? rest.title}
      onClick={isOff ? undefined : onClick}
    >
      {children}
    </button>
  );
}
