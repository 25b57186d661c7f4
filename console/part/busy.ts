import { useRef, useState } from "react";

/** Runs one deed at a time, whatever is pressed meanwhile, and keeps the error of the last one. */
export function useBusy(): {
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly run: (work: () => Promise<void>) => void;
} {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const isRunning = useRef(false);
  const run = (work: () => Promise<void>) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setBusy(true);
    setError(undefined);
    work()
      .catch(setError)
      .finally(() => {
        isRunning.current = false;
        setBusy(false);
      });
  };
  return { isBusy, error, run };
}
