import { useEffect, useState } from "react";

const minuteMs = 60_000;

/** The present, which goes on by minutes: a page that stays open looks at the last hours, not at those of its opening. */
export function useMinute(): number {
  const [nowMs, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), minuteMs);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
