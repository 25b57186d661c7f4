import type { Command } from "../../part/keys/shortcuts.ts";
import { workingKey } from "../../part/keys/use-keys.ts";
import style from "./trace.module.css";

/** The key of a button, in front of its name; nothing while single keys are off. */
export function KeyHint({ command }: { readonly command: Command }) {
  const key = workingKey(command);
  if (key === undefined) return null;
  return (
    <>
      <span className={style.key} aria-hidden="true">
        {key}
      </span>{" "}
    </>
  );
}
