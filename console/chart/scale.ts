// Where values lie in a picture. Axes of counts begin at 0.

/** The least round number (1, 2 or 5 times a power of ten) that is not below `value`; 1 when there is nothing. */
export function niceMax(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((each) => each * power >= value * (1 - Number.EPSILON)) ?? 10;
  return step * power;
}

/** One stacked part of a bar. */
export interface Part {
  readonly series: number;
  readonly from: number;
  readonly to: number;
}

/** The parts of a bar from the bottom up, without the empty ones. */
export function stackOf(values: readonly number[]): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const [series, value] of values.entries()) {
    if (value > 0) parts.push({ series, from, to: from + value });
    from += Math.max(0, value);
  }
  return parts;
}

/** A line through the points, as the `d` of a path; it is interrupted where there is no value. */
export function lineOf(values: readonly (number | undefined)[], size: { width: number; height: number; max: number }) {
  const step = values.length > 1 ? size.width / (values.length - 1) : 0;
  let isDrawing = false;
  let path = "";
  for (const [at, value] of values.entries()) {
    if (value === undefined) {
      isDrawing = false;
      continue;
    }
    const x = round(at * step);
    const y = round(size.height - (Math.min(value, size.max) / size.max) * size.height);
    path += `${isDrawing ? "L" : "M"}${x} ${y}${isDrawing ? "" : "h.01"}`;
    isDrawing = true;
  }
  return path;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
