import { useEffect, useState } from "react";

/** A pause between two keys is not the end of a word. */
const restMs = 250;

/** What is typed, once nobody has typed for a moment: what is asked of the server follows this. */
export function useRested<Text extends string | undefined>(text: Text): Text {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), restMs);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}
