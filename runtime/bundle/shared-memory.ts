// Memory that threads share: values in it are sent without being copied.

/** The value with every array of numbers in it moved into shared memory. */
export function shared<T>(value: T): T {
  // The value is plain data: arrays of numbers, objects and primitive values. The copy has the same shape.
  return sharedValue(value) as T;
}

function sharedValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return new Uint8Array(sharedBytes(value));
  if (value instanceof Int32Array) return new Int32Array(sharedBytes(value));
  if (value instanceof Uint16Array) return new Uint16Array(sharedBytes(value));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, sharedValue(each)]));
}

function sharedBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(byteLength);
  new Uint8Array(memory).set(new Uint8Array(buffer, byteOffset, byteLength));
  return memory;
}

/** Bytes that are copied in one step: about a tenth of a millisecond. */
const stepBytes = 1 << 20;

/** The bytes in shared memory, copied step by step, unless they are there already. */
export function* shareBytes(all: readonly Uint8Array[]): Generator<void, Uint8Array<ArrayBuffer>[]> {
  const copies: Uint8Array[] = [];
  for (const data of all) {
    if (data.buffer instanceof SharedArrayBuffer) copies.push(data);
    else copies.push(yield* sharedCopy(data));
  }
  // The types of messages do not know shared memory. They only need memory that nobody moves or detaches, which holds
  // here.
  return copies as Uint8Array<ArrayBuffer>[];
}

function* sharedCopy(data: Uint8Array): Generator<void, Uint8Array> {
  const copy = new Uint8Array(new SharedArrayBuffer(data.byteLength));
  for (let at = 0; at < data.byteLength; at += stepBytes) {
    copy.set(data.subarray(at, at + stepBytes), at);
    yield;
  }
  return copy;
}
