// Makes pictures of pages small: a PNG (https://www.w3.org/TR/png-3/) of 8 bits a channel becomes one of at most 256
// colours, which pages of few colours survive unseen.

import { crc32, deflateSync, inflateSync } from "node:zlib";

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const maxColors = 256;

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** 0xRRGGBB, line after line. */
  readonly colors: Uint32Array;
}

/** The same picture with at most 256 colours. */
export function withPalette(png: Buffer): Buffer {
  const { width, height, colors } = readPng(png);
  const palette = paletteOf(colors);
  const nearest = new Map(palette.map((color, index) => [color, index]));
  const lines = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const color = colors[y * width + x] ?? 0;
      let index = nearest.get(color);
      if (index === undefined) {
        index = nearestOf(palette, color);
        nearest.set(color, index);
      }
      lines[y * (width + 1) + 1 + x] = index;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const table = Buffer.from(palette.flatMap((color) => channels(color)));
  const parts = [chunk("IHDR", header), chunk("PLTE", table), chunk("IDAT", deflateSync(lines, { level: 9 }))];
  return Buffer.concat([signature, ...parts, chunk("IEND", Buffer.alloc(0))]);
}

/** The most frequent colours. */
function paletteOf(colors: Uint32Array): number[] {
  const counts = new Map<number, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, maxColors)
    .map(([color]) => color);
}

function nearestOf(palette: readonly number[], color: number): number {
  const [red = 0, green = 0, blue = 0] = channels(color);
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [index, each] of palette.entries()) {
    const distance =
      (((each >> 16) & 0xff) - red) ** 2 + (((each >> 8) & 0xff) - green) ** 2 + ((each & 0xff) - blue) ** 2;
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}

function channels(color: number): number[] {
  return [(color >> 16) & 0xff, (color >> 8) & 0xff, color & 0xff];
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}

/** Reads a PNG as browsers write it: 8 bits a channel, RGB or RGBA, not interlaced. */
function readPng(png: Buffer): Pixels {
  const data: Buffer[] = [];
  let [width, height, size] = [0, 0, 0];
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const name = png.toString("latin1", at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (name === "IHDR") {
      [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
      size = body[9] === 6 ? 4 : 3;
      if (body[8] !== 8 || (body[9] !== 2 && body[9] !== 6)) throw new Error("not a PNG as browsers write it");
    }
    if (name === "IDAT") data.push(body);
    at += length + 12;
  }
  const lines = unfiltered(inflateSync(Buffer.concat(data)), { width, height, size });
  const colors = new Uint32Array(width * height);
  for (let i = 0; i < colors.length; i++) {
    const at = i * size;
    colors[i] = ((lines[at] ?? 0) << 16) | ((lines[at + 1] ?? 0) << 8) | (lines[at + 2] ?? 0);
  }
  return { width, height, colors };
}

/** Section 9: each line says how it was made of its neighbours. */
function unfiltered(
  raw: Buffer,
  { width, height, size }: { readonly width: number; readonly height: number; readonly size: number },
): Buffer {
  const length = width * size;
  const lines = Buffer.alloc(length * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (length + 1)] ?? 0;
    for (let x = 0; x < length; x++) {
      const at = y * length + x;
      const left = x < size ? 0 : (lines[at - size] ?? 0);
      const above = y === 0 ? 0 : (lines[at - length] ?? 0);
      const corner = x < size || y === 0 ? 0 : (lines[at - length - size] ?? 0);
      lines[at] = (raw[y * (length + 1) + 1 + x] ?? 0) + predicted(filter, left, above, corner);
    }
  }
  return lines;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter !== 4) return 0;
  const [byLeft, byAbove, byCorner] = [
    Math.abs(above - corner),
    Math.abs(left - corner),
    Math.abs(left + above - 2 * corner),
  ];
  return byLeft <= byAbove && byLeft <= byCorner ? left : byAbove <= byCorner ? above : corner;
}
