// Compression of answers (RFC 9110 section 12.5.3), in a coding that the caller accepts: brotli before gzip. Small
// answers are not compressed: that costs more than it saves. Entity tags do not change: ours name the content (a
// bundle's digest), which is the same in every coding, and `Vary` keeps caches from mixing codings up.

import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { compressionBrotli, compressionGzip } from "@connectrpc/connect-node";
import { type Compress, rememberingCompress } from "./compression-cache.ts";
import { type Answer, chunksOf, sizeOf } from "./http.ts";

/** Smaller answers are not compressed. */
export const minCompressedBytes = 16 * 1024;

/** A content coding that this server applies. */
export type Coding = "br" | "gzip";

const compress: Readonly<Record<Coding, Compress>> = {
  // Quality 4 is about as fast as gzip and smaller.
  br: rememberingCompress((body) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  ),
  gzip: rememberingCompress((body) => promisify(gzip)(body)),
};

/**
 * The codings of Connect and gRPC. Their own brotli has the highest quality, which takes a second for half a megabyte.
 */
export const rpcCompressions = [
  compressionGzip,
  { ...compressionBrotli, compress: async (bytes: Uint8Array) => new Uint8Array(await compress.br(bytes)) },
] as const;

/** The coding of an answer to a caller with this Accept-Encoding; undefined for none. */
export function chooseCoding(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const weights = new Map(acceptEncoding.split(",").map(weightOf));
  const weight = (coding: Coding) => weights.get(coding) ?? weights.get("*") ?? 0;
  const [best] = (["br", "gzip"] as const).toSorted((a, b) => weight(b) - weight(a));
  return best !== undefined && weight(best) > 0 ? best : undefined;
}

/** The answer as the caller takes it. The work is done off the main thread. */
export async function compressed(answer: Answer, acceptEncoding: string | undefined): Promise<Answer> {
  const { headers } = answer;
  const body = chunksOf(answer.body);
  if (sizeOf(body) < minCompressedBytes) return answer;
  const vary = { ...headers, vary: "accept-encoding" };
  const coding = chooseCoding(acceptEncoding);
  if (coding === undefined) return { ...answer, headers: vary, body };
  return { ...answer, headers: { ...vary, "content-encoding": coding }, body: await compressedAs(coding, body) };
}

/** The pieces as one, in this coding. */
export function compressedAs(coding: Coding, pieces: readonly Uint8Array[]): Promise<Uint8Array> {
  const [only] = pieces;
  return compress[coding](only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces));
}

function weightOf(item: string): [string, number] {
  const [coding = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
  const stated = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  const weight = Number(stated ?? "1");
  return [coding, Number.isFinite(weight) ? weight : 0];
}
