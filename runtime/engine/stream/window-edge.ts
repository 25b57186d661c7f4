// Which windows of a text are settled. Windows are anchored at the begin of the text, so only every so many units something new is.

/** Units of a window. */
export const windowLength = 512;
/** Units from the begin of one window to that of the next. */
export const windowStride = 256;

/** The begin of the first window that what is still to come from an offset on may change. */
export function settledWindows(edge: number): number {
  return Math.max(0, windowStride * (Math.floor((edge - windowLength) / windowStride) + 1));
}

/** Whether it makes a difference to windows when text is settled up to one offset instead of another. */
export function settlesWindow(from: number, to: number): boolean {
  return settledWindows(from) !== settledWindows(to);
}
