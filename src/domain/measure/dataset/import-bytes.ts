// The bytes of an imported file on their way: counted, hashed, and decompressed where they are gzip (RFC 1952). What
// comes out may be a hundred times what went in.

import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { Fault } from "../../../kit/fault/fault.ts";

const maxRatio = 100;
/** A small file may be of one letter. */
const ratioSlackBytes = 1 << 20;
/** The largest file, decompressed. */
const maxPlainBytes = 4 * 2 ** 30;

/** A file that cannot be read. */
export function unreadable(message: string, cause?: unknown): Fault {
  return new Fault(Reason.IMPORT_FAILED, message, cause === undefined ? {} : { cause });
}

/** The file as it was before it was compressed, if it was. Throws import_failed where there is nothing in it. */
export async function* plainBytes(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const { first, rest } = await firstBytes(pieces);
  const plain = first[0] === 0x1f && first[1] === 0x8b ? gunzipped(joined(first, rest)) : joined(first, rest);
  let size = 0;
  for await (const piece of plain) {
    size += piece.byteLength;
    if (size > maxPlainBytes) throw unreadable("the file has more than 4 GiB");
    yield piece;
  }
  // Most likely a variable that was not set, or a file that could not be read: nobody imports nothing on purpose.
  if (size === 0) throw unreadable("the file is empty; send its records as the body");
}

/** The same bytes. At their end, tells their SHA-256; throws digest_mismatch when that is another than expected. */
export async function* checkedBytes(
  pieces: AsyncIterable<Uint8Array>,
  {
    expected,
    onDigest,
  }: { readonly expected: string | null | undefined; readonly onDigest?: (sha256: string) => void },
): AsyncGenerator<Uint8Array, void> {
  const hash = createHash("sha256");
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
  const found = hash.digest("hex");
  onDigest?.(found);
  if (expected == null || found === expected.toLowerCase()) return;
  const message = "the file has another SHA-256 than was expected: it was changed, or did not arrive whole";
  throw new Fault(Reason.DIGEST_MISMATCH, message, { extra: { sha256: found } });
}

async function* gunzipped(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let taken = 0;
  let given = 0;
  const gunzip = createGunzip();
  const counted = async function* () {
    for await (const piece of pieces) {
      taken += piece.byteLength;
      yield piece;
    }
  };
  let failure: unknown;
  const feeding = pipeline(Readable.from(counted(), { objectMode: true }), gunzip).catch((error: unknown) => {
    failure = error;
  });
  try {
    for await (const piece of gunzip) {
      given += piece.length;
      if (given > maxRatio * taken + ratioSlackBytes)
        throw unreadable(`the file is more than ${maxRatio} times as large as its gzip; send it uncompressed`);
      yield piece;
    }
  } catch (error) {
    gunzip.destroy();
    await feeding;
    throw error instanceof Fault ? error : asFault(failure ?? error);
  }
  await feeding;
  if (failure !== undefined) throw asFault(failure);
}

function asFault(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || !String(error.code).startsWith("Z_")) return error;
  return unreadable("the file begins as gzip and is not: it is damaged, or was cut off", error);
}

async function firstBytes(pieces: AsyncIterable<Uint8Array>) {
  const iterator = pieces[Symbol.asyncIterator]();
  let first = Buffer.alloc(0);
  while (first.length < 2) {
    const next = await iterator.next();
    if (next.done === true) break;
    first = Buffer.concat([first, next.value]);
  }
  return { first, rest: iterator };
}

async function* joined(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  if (first.length > 0) yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}
