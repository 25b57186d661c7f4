/** Does the work, and says how much time of a processor it took: what others do on the same machine does not count. */
export function withCpuMs<T>(work: () => T): { readonly result: T; readonly cpuMs: number } {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return { result, cpuMs: (user + system) / 1_000 };
}
