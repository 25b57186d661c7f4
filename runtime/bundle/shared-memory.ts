// Memory that threads have in common: what lies there is passed on without being copied.

/** The value with every array of numbers in it moved into shared memory. */
export function shared<T>(value: T): T {
  // What is walked is plain data: arrays of numbers, objects and values. The copy has the same shape.
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

/** The parts of a bundle in shared memory, copied step by step. */
export function* shareParts(parts: ReadonlyMap<string, Uint8Array>): Generator<void, Map<string, Uint8Array>> {
  const copies = new Map<string, Uint8Array>();
  for (const [path, data] of parts) {
    const copy = new Uint8Array(new SharedArrayBuffer(data.byteLength));
    for (let at = 0; at < data.byteLength; at += stepBytes) {
      copy.set(data.subarray(at, at + stepBytes), at);
      yield;
    }
    copies.set(path, copy);
  }
  return copies;
}
