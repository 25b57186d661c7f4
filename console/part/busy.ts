import { useState } from "react";

/** Runs one deed at a time, and keeps the error of the last one. */
export function useBusy(): {
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly run: (work: () => Promise<void>) => void;
} {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    work()
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return { isBusy, error, run };
}
