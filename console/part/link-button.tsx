import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";
import style from "./button.module.css";
import type { Command } from "./keys/shortcuts.ts";
import { keyHints } from "./keys/use-keys.ts";

/** A link that looks like a button: the page's main one, unless it says otherwise. `hotkey` is what follows it too. */
export const LinkButton = createLink(function Anchor({
  kind = "primary",
  hotkey,
  ...props
}: AnchorHTMLAttributes<HTMLAnchorElement> & {
  readonly kind?: "plain" | "primary" | "quiet";
  readonly hotkey?: Command;
}) {
  return (
    <a
      {...props}
      {...keyHints(hotkey, props.title)}
      data-deed={hotkey ?? ""}
      className={`${style.button} ${style[kind]}`}
    />
  );
});
