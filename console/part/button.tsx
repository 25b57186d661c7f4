import type { ButtonHTMLAttributes, ReactNode } from "react";
import style from "./button.module.css";
import type { Command } from "./keys/shortcuts.ts";
import { keyHints } from "./keys/use-keys.ts";

/** A button. With `why`, it stays focusable, does nothing, and says why. `hotkey` is the command that does the same. */
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
  readonly hotkey?: Command | undefined;
  readonly children: ReactNode;
}) {
  const isOff = why !== undefined;
  return (
    <button
      {...rest}
      {...(isOff ? { title: why } : keyHints(hotkey, rest.title))}
      type={isOff ? "button" : type}
      className={`${style.button} ${style[kind]}`}
      aria-disabled={isOff || undefined}
      data-deed={hotkey ?? ""}
      onClick={isOff ? undefined : onClick}
    >
      {children}
    </button>
  );
}
