// Decides which windows of a text are settled. Windows are anchored at the start of the text, so a new one begins only
// every `windowStride` units: at 0, 256, 512 and so on.

/** Code units of a window. */
export const windowLength = 512;
/** Code units between the starts of two consecutive windows. */
export const windowStride = 256;

/** The start of the first window that text after an offset may still change. */
export function settledWindows(edge: number): number {
  return Math.max(0, windowStride * (Math.floor((edge - windowLength) / windowStride) + 1));
}

/** Whether settling the text up to `to` instead of `from` settles another window. */
export function settlesWindow(from: number, to: number): boolean {
  return settledWindows(from) !== settledWindows(to);
}
