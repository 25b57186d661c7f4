import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";
import style from "./button.module.css";

/** A link that looks like a button: the page's main one, unless it says otherwise. `hotkey` is a key that follows it. */
export const LinkButton = createLink(function Anchor({
  kind = "primary",
  hotkey,
  ...props
}: AnchorHTMLAttributes<HTMLAnchorElement> & {
  readonly kind?: "plain" | "primary" | "quiet";
  readonly hotkey?: string;
}) {
  return (
    <a title={hotkey} {...props} aria-keyshortcuts={hotkey} data-deed className={`${style.button} ${style[kind]}`} />
  );
});
