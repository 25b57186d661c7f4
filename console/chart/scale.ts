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

interface Size {
  readonly width: number;
  readonly height: number;
  readonly max: number;
}

/** A line through the points, as the `d` of a path; it is interrupted where there is no value. */
export function lineOf(values: readonly (number | undefined)[], size: Size): string {
  let isDrawing = false;
  let path = "";
  for (const [at, value] of values.entries()) {
    if (value === undefined) {
      isDrawing = false;
      continue;
    }
    path += `${isDrawing ? "L" : "M"}${placeOf(at, value, values.length, size)}${isDrawing ? "" : dot}`;
    isDrawing = true;
  }
  return path;
}

/** The points without a neighbour, which no line goes through, as dots of a path. */
export function dotsOf(values: readonly (number | undefined)[], size: Size): string {
  return values
    .map((value, at) =>
      value === undefined || values[at - 1] !== undefined || values[at + 1] !== undefined
        ? ""
        : `M${placeOf(at, value, values.length, size)}${dot}`,
    )
    .join("");
}

/** What gives a path the round cap of its stroke and no length. */
const dot = "h.01";

function placeOf(at: number, value: number, length: number, { width, height, max }: Size): string {
  const step = length > 1 ? width / (length - 1) : 0;
  return `${round(at * step)} ${round(height - (Math.min(value, max) / max) * height)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
