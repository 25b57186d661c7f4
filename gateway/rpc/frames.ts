// Messages in a gRPC stream: a flag (0: not compressed), the length in four bytes, the message.
// (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md)

import { Code, ConnectError } from "@connectrpc/connect";
import { compressedFlag } from "@connectrpc/connect/protocol";

/** Bytes before each message. */
export const frameHeadBytes = 5;

/** Writes the head into the first five bytes of a frame, which its writer left free before the message. */
export function withFrameHead(frame: Buffer): Buffer {
  frame[0] = 0;
  frame.writeUInt32BE(frame.length - frameHeadBytes, 1);
  return frame;
}

/** Finds the messages in the bytes of a stream as they come. Failures are those of Connect. */
export class MessageFrames {
  readonly #maxBytes: number;
  /** Bytes that are no whole message yet lie from `#at` to `#end`. */
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;
  /** Whether bytes may be written after the end: the buffer was made here and is no chunk of a caller. */
  #isOwn = false;

  /** A message may have at most this number of bytes. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a chunk. A large message that comes in small chunks needs no more memory than one that comes whole. */
  add(chunk: Buffer): void {
    const restBytes = this.#end - this.#at;
    if (restBytes === 0) {
      this.#bytes = chunk;
      this.#at = 0;
      this.#end = chunk.length;
      this.#isOwn = false;
      return;
    }
    if (!this.#isOwn || this.#end + chunk.length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (restBytes + chunk.length));
      this.#bytes.copy(larger, 0, this.#at, this.#end);
      this.#bytes = larger;
      this.#at = 0;
      this.#end = restBytes;
      this.#isOwn = true;
    }
    chunk.copy(this.#bytes, this.#end);
    this.#end += chunk.length;
  }

  /** The next message; undefined until all of it is there. */
  next(): Buffer | undefined {
    if (this.#end - this.#at < frameHeadBytes) return undefined;
    const sizeBytes = this.#bytes.readUInt32BE(this.#at + 1);
    if (sizeBytes > this.#maxBytes) {
      const message = `message size ${sizeBytes} is larger than configured readMaxBytes ${this.#maxBytes}`;
      throw new ConnectError(message, Code.ResourceExhausted);
    }
    const end = this.#at + frameHeadBytes + sizeBytes;
    if (this.#end < end) return undefined;
    const flags = this.#bytes[this.#at] ?? 0;
    if ((flags & compressedFlag) !== 0) {
      throw new ConnectError("received compressed envelope, but do not know how to decompress", Code.Internal);
    }
    const message = this.#bytes.subarray(this.#at + frameHeadBytes, end);
    this.#at = end;
    return message;
  }

  /** Throws when the stream ended within a message. */
  end(): void {
    if (this.#end > this.#at) throw new ConnectError("protocol error: incomplete envelope", Code.InvalidArgument);
  }
}
