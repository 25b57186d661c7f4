import { CopyButton } from "./copy-button.tsx";
import style from "./copy-text.module.css";

/** A text to paste elsewhere: a command for a terminal, or a line of a policy. */
export function CopyText({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className={style.text}>
      <pre>{text}</pre>
      <CopyButton label={label} text={text} />
    </div>
  );
}
