// Versions of the product: major.minor.patch.

/** Whether the first version is older than the second. What is no version counts as older than every one. */
export function isOlderVersion(one: string, other: string): boolean {
  const [a, b] = [one, other].map((version) => /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number) ?? []);
  for (let i = 0; i < 3; i++) {
    const [left = -1, right = -1] = [a?.[i], b?.[i]];
    if (left !== right) return left < right;
  }
  return false;
}
