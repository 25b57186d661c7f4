import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";
import style from "./button.module.css";

/** A link that looks like a button: the page's main one, unless it says otherwise. */
export const LinkButton = createLink(function Anchor({
  kind = "primary",
  ...props
}: AnchorHTMLAttributes<HTMLAnchorElement> & { readonly kind?: "plain" | "primary" | "quiet" }) {
  return <a {...props} className={`${style.button} ${style[kind]}`} />;
});
