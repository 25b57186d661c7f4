import { useEffect, useRef, useState } from "react";

/**
 * The text of a field that something else keeps, such as the address, from where it comes back later. What comes back
 * is older than what was typed since, and changes nothing; what others changed replaces what was typed.
 */
export function useTyped(
  kept: string,
  onKeep: (text: string) => void,
): { readonly text: string; readonly setText: (text: string) => void; readonly keep: (text: string) => void } {
  const [text, setText] = useState(kept);
  /** What was given to be kept and has not come back. */
  const given = useRef<readonly string[]>([]);
  useEffect(() => {
    const at = given.current.indexOf(kept);
    given.current = at < 0 ? [] : given.current.slice(at + 1);
    if (at < 0) setText(kept);
  }, [kept]);
  const keep = (next: string) => {
    if (next === (given.current.at(-1) ?? kept)) return;
    given.current = [...given.current, next];
    onKeep(next);
  };
  return { text, setText, keep };
}
