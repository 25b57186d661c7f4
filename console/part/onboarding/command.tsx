import { CopyButton } from "../copy-button.tsx";
import style from "./command.module.css";

/** A command to paste into a terminal. */
export function Command({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className={style.command}>
      <pre>{text}</pre>
      <CopyButton label={label} text={text} />
    </div>
  );
}
