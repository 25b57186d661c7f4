import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes } from "react";
import style from "./button.module.css";

/** A link that looks like the page's main button. */
export const LinkButton = createLink(function Anchor(props: AnchorHTMLAttributes<HTMLAnchorElement>) {
  return <a {...props} className={`${style.button} ${style.primary}`} />;
});
