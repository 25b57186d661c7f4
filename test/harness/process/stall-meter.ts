// How long the event loop of this process is held up: a timer of one millisecond notes how much later than the last
// time it comes, and how much processor time its thread has used in between. The first is what a caller would have
// waited; on a machine with other work to do, the second is the part of it that is the process's own doing.

/** What was measured, in milliseconds. */
export interface Stalls {
  readonly maxMs: number;
  readonly maxCpuMs: number;
  /** How many took more than 5 and 20 milliseconds of processor time. */
  readonly over5: number;
  readonly over20: number;
}

/** Measures from now on; call the answer for what was measured. */
export function measureStalls(): () => Stalls {
  let [maxMs, maxCpuMs, over5, over20] = [0, 0, 0, 0];
  let atMs = performance.now();
  let cpuAtMs = threadCpuMs();
  const tick = () => {
    const [nowMs, cpuNowMs] = [performance.now(), threadCpuMs()];
    const cpuMs = cpuNowMs - cpuAtMs;
    maxMs = Math.max(maxMs, nowMs - atMs);
    maxCpuMs = Math.max(maxCpuMs, cpuMs);
    if (cpuMs > 5) over5 += 1;
    if (cpuMs > 20) over20 += 1;
    [atMs, cpuAtMs] = [nowMs, cpuNowMs];
  };
  const timer = setInterval(tick, 1);
  return () => {
    tick();
    clearInterval(timer);
    return { maxMs, maxCpuMs, over5, over20 };
  };
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
