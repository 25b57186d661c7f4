import { useState } from "react";
import { en } from "../../text/en.ts";
import { beginningOf } from "../../text/format.ts";
import style from "./folded.module.css";

const maxShown = 160;

/** A text that somebody wrote; of a long one only the beginning, until the reader asks for the rest. */
export function Folded({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false);
  if (text.length <= maxShown * 1.25) return <span className={style.text}>{text}</span>;
  return (
    <span className={style.text}>
      {isOpen ? text : `${beginningOf(text, maxShown)}…`}{" "}
      <button type="button" className={style.more} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? en.common.showLess : en.common.showMore}
      </button>
    </span>
  );
}
