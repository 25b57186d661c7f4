import { type RefObject, useRef } from "react";

/** The newest value, for what goes on while it changes, such as a call whose text is typed at meanwhile. */
export function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value);
  latest.current = value;
  return latest;
}
