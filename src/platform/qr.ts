import { create } from "qrcode";

/** Modules of light space around a QR code (ISO/IEC 18004, section 9.1). */
const quietZone = 4;

/** A QR code of the text as an SVG document. */
export function qrSvg(text: string): string {
  const { size, data } = create(text, { errorCorrectionLevel: "M" }).modules;
  let path = "";
  for (let at = 0; at < size * size; at++) {
    if (data[at]) path += `M${(at % size) + quietZone} ${Math.floor(at / size) + quietZone}h1v1h-1z`;
  }
  const width = size + 2 * quietZone;
  const svg = `xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${width}" shape-rendering="crispEdges"`;
  return `<svg ${svg}><path fill="#fff" d="M0 0h${width}v${width}H0z"/><path d="${path}"/></svg>`;
}
