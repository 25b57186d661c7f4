// Messages in a gRPC stream: a flag (0: not compressed), the length in four bytes, the message.
// (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md)

import { Code, ConnectError } from "@connectrpc/connect";

/** Bytes before each message. */
export const frameHeadBytes = 5;

/** Puts the head of a frame where it belongs: before a message that was written behind room for it. */
export function headed(frame: Buffer): Buffer {
  frame[0] = 0;
  frame.writeUInt32BE(frame.length - frameHeadBytes, 1);
  return frame;
}

/** Finds the messages in the bytes of a stream as they come. Failures are those of Connect. */
export class MessageFrames {
  readonly #mostBytes: number;
  #chunks: Buffer[] = [];
  #sizeBytes = 0;

  /** Messages have at most so many bytes. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Adds what came. */
  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#sizeBytes += chunk.length;
  }

  /** Bytes that are no whole message yet. */
  get restBytes(): number {
    return this.#sizeBytes;
  }

  /** The next message; undefined when it is not whole yet. */
  next(): Buffer | undefined {
    if (this.#sizeBytes < frameHeadBytes) return undefined;
    const head = this.#first(frameHeadBytes);
    const sizeBytes = head.readUInt32BE(1);
    if (sizeBytes > this.#mostBytes) {
      const message = `message size ${sizeBytes} is larger than configured readMaxBytes ${this.#mostBytes}`;
      throw new ConnectError(message, Code.ResourceExhausted);
    }
    if (this.#sizeBytes < frameHeadBytes + sizeBytes) return undefined;
    if (head[0] !== 0)
      throw new ConnectError("received compressed envelope, but do not know how to decompress", Code.Internal);
    const bytes = this.#first(frameHeadBytes + sizeBytes);
    const message = bytes.subarray(frameHeadBytes, frameHeadBytes + sizeBytes);
    this.#drop(frameHeadBytes + sizeBytes);
    return message;
  }

  /** Throws when the stream ended within a message. */
  end(): void {
    if (this.#sizeBytes > 0) throw new ConnectError("protocol error: incomplete envelope", Code.InvalidArgument);
  }

  // At least so many bytes in one piece.
  #first(sizeBytes: number): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= sizeBytes) return first;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  #drop(sizeBytes: number): void {
    const [first] = this.#chunks;
    if (first === undefined) return;
    if (first.length === sizeBytes) this.#chunks.shift();
    else this.#chunks[0] = first.subarray(sizeBytes);
    this.#sizeBytes -= sizeBytes;
  }
}
