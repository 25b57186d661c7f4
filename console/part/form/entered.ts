import { useEffect, useState } from "react";
import { useLatest } from "../latest.ts";

/**
 * Enter in a field that finds, pressed before anything was found: it waits for the answer, and then takes the first of
 * what the text finds by then. Whoever goes on typing withdraws it.
 */
export function useEntered({
  isLoading,
  takeFirst,
  isBegun = false,
}: {
  readonly isLoading: boolean;
  /** Does nothing when nothing was found. */
  readonly takeFirst: () => void;
  /** Whether Enter was pressed before the field was there. */
  readonly isBegun?: boolean;
}): { readonly isEntered: boolean; readonly enter: () => void; readonly withdraw: () => void } {
  const [isEntered, setEntered] = useState(isBegun);
  const take = useLatest(takeFirst);
  useEffect(() => {
    if (!isEntered || isLoading) return;
    setEntered(false);
    take.current();
  }, [isEntered, isLoading, take]);
  return { isEntered, enter: () => setEntered(true), withdraw: () => setEntered(false) };
}
