// Semantic versions (semver.org 2.0.0) of packs: three numbers without pre-releases.

const form = /^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/;

/** The three numbers of a version; undefined for anything else. */
function versionNumbers(version: string): readonly number[] | undefined {
  return form.exec(version)?.slice(1).map(Number);
}

/** Compares versions for sorting, the newest first. */
export function newestFirst(a: string, b: string): number {
  const [left, right] = [versionNumbers(a) ?? [], versionNumbers(b) ?? []];
  for (const [index, number] of left.entries()) {
    const difference = (right[index] ?? 0) - number;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether "2", "2.1" or "2.1.0" selects a version. */
export function isVersionOf(version: string, wanted: string): boolean {
  return version === wanted || version.startsWith(`${wanted}.`);
}
