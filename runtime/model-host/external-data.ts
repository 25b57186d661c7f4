// Where an ONNX graph keeps weights outside its own file. ONNX Runtime opens these paths, so they are read first, from
// the protobuf wire format itself: a graph may have 2 GiB, of which only the structure matters.
// (onnx.proto: ModelProto.graph = 7, GraphProto.node = 1 and initializer = 5, sparse_initializer = 15, NodeProto.
// attribute = 5, AttributeProto.t = 5, g = 6, tensors = 10, graphs = 11, sparse_tensor = 22, sparse_tensors = 23,
// SparseTensorProto.values = 1 and indices = 2, TensorProto.external_data = 13, ModelProto.functions = 25 and
// training_info = 20, FunctionProto.node = 7, StringStringEntryProto key = 1 and value = 2.)

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { LoadFailure } from "./load-failure.ts";

type Kind = "model" | "training" | "function" | "graph" | "node" | "attribute" | "sparse" | "tensor" | "entry";

const children: Readonly<Record<Kind, Readonly<Record<number, Kind>>>> = {
  model: { 7: "graph", 20: "training", 25: "function" },
  training: { 1: "graph", 2: "graph" },
  function: { 7: "node", 11: "attribute" },
  graph: { 1: "node", 5: "tensor", 15: "sparse" },
  node: { 5: "attribute" },
  attribute: { 5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse" },
  sparse: { 1: "tensor", 2: "tensor" },
  tensor: { 13: "entry" },
  entry: {},
};

const maxDepth = 64;
const maxTag = 2 ** 32 - 1;
const maxLocationBytes = 4_096;

/** The locations of all external data of a graph. Throws a LoadFailure for what is no graph. */
export function externalLocations(path: string): Set<string> {
  const file = new WireFile(path);
  try {
    const found = new Set<string>();
    readMessage(file, { kind: "model", end: file.size, depth: 0 }, found);
    return found;
  } finally {
    file.close();
  }
}

interface Message {
  readonly kind: Kind;
  readonly end: number;
  readonly depth: number;
}

function readMessage(file: WireFile, { kind, end, depth }: Message, found: Set<string>): void {
  if (depth > maxDepth) throw broken("is nested too deeply");
  // Fields come in any order and any number, so every value counts beside a key that names a location.
  const values: string[] = [];
  let isLocation = false;
  while (file.at < end) {
    const tag = file.varint();
    // Other readers would cut it to 32 bits, and see another field.
    if (tag > maxTag) throw broken("has a number that is too long");
    const [field, type] = [Math.floor(tag / 8), tag % 8];
    if (type === 0) file.varint();
    else if (type === 1) file.at += 8;
    else if (type === 5) file.at += 4;
    else if (type === 2) {
      const size = file.varint();
      const after = file.at + size;
      if (after > end) throw broken("ends in the middle of a field");
      const child = children[kind][field];
      if (child !== undefined) readMessage(file, { kind: child, end: after, depth: depth + 1 }, found);
      else if (kind === "entry" && field === 1) isLocation = file.text(size) === "location" || isLocation;
      else if (kind === "entry" && field === 2) values.push(file.text(size));
      file.at = after;
    } else throw broken("has fields that protobuf does not know");
  }
  if (isLocation) for (const value of values) found.add(value);
}

/** A file in protobuf's wire format, read through a window. */
class WireFile {
  readonly #descriptor: number;
  readonly #window = Buffer.allocUnsafe(64 * 1024);
  readonly size: number;
  #from = 0;
  #length = 0;
  /** The offset of the next byte. */
  at = 0;

  constructor(path: string) {
    this.#descriptor = openSync(path, "r");
    this.size = fstatSync(this.#descriptor).size;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; factor <= 2 ** 63; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    throw broken("has a number that is too long");
  }

  /** The text of this many bytes here. */
  text(bytes: number): string {
    if (bytes > maxLocationBytes) throw broken("names external data by a path that is too long");
    return Buffer.from(Array.from({ length: bytes }, () => this.#byte())).toString("utf8");
  }

  #byte(): number {
    if (this.at < this.#from || this.at >= this.#from + this.#length) {
      this.#from = this.at;
      this.#length = readSync(this.#descriptor, this.#window, 0, this.#window.length, this.at);
    }
    const byte = this.#length === 0 ? undefined : this.#window[this.at - this.#from];
    if (byte === undefined) throw broken("ends too early");
    this.at += 1;
    return byte;
  }
}

function broken(what: string): LoadFailure {
  return new LoadFailure("graph_invalid", `model.onnx ${what}: it is no ONNX graph`);
}
