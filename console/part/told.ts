// Which failures the page shown tells of, so that the frame tells of those that no part of it does.

import { useEffect } from "react";

const told = new Map<unknown, number>();
const listeners = new Set<() => void>();

/** Says that this part tells of the error, for as long as it is shown. */
export function useTold(error: unknown): void {
  useEffect(() => {
    told.set(error, (told.get(error) ?? 0) + 1);
    notify();
    return () => {
      const left = (told.get(error) ?? 1) - 1;
      if (left === 0) told.delete(error);
      else told.set(error, left);
      notify();
    };
  }, [error]);
}

/** Whether a part tells of the error. */
export function isTold(error: unknown): boolean {
  return told.has(error);
}

/** Calls back whenever that changes. Returns what ends it. */
export function whenTold(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}
