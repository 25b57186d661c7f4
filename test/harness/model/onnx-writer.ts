// Writes ONNX graphs of a few nodes, in the wire format of onnx.proto.

import { BinaryWriter } from "@bufbuild/protobuf/wire";

/** A constant of a graph. */
export interface Constant {
  readonly name: string;
  readonly dims: readonly number[];
  readonly data: Float32Array | BigInt64Array;
  /** Where its bytes lie outside of the graph's file; undefined for a constant inside it. */
  readonly location?: string;
}

/** An operation. */
export interface Operation {
  readonly type: string;
  readonly inputs: readonly string[];
  readonly output: string;
  /** Whole numbers by name. */
  readonly attributes?: Readonly<Record<string, number>>;
}

/** An input or output of a graph. Dimensions that are not fixed are names. */
export interface Value {
  readonly name: string;
  readonly type: "float32" | "int64";
  readonly dims: readonly (number | string)[];
}

/** A graph. */
export interface Graph {
  readonly constants: readonly Constant[];
  readonly operations: readonly Operation[];
  readonly inputs: readonly Value[];
  readonly outputs: readonly Value[];
}

const types = { float32: 1, int64: 7 } as const;

/** The bytes of `model.onnx`. */
export function onnxModel(graph: Graph): Uint8Array {
  const writer = new BinaryWriter();
  writer.tag(1, 0).int64(8);
  message(writer, 7, (out) => writeGraph(out, graph));
  message(writer, 8, (out) => out.tag(1, 2).string("").tag(2, 0).int64(13));
  return writer.finish();
}

function message(writer: BinaryWriter, field: number, write: (out: BinaryWriter) => void): void {
  writer.tag(field, 2).fork();
  write(writer);
  writer.join();
}

function writeGraph(out: BinaryWriter, { constants, operations, inputs, outputs }: Graph): void {
  for (const operation of operations) message(out, 1, () => writeOperation(out, operation));
  out.tag(2, 2).string("tiny");
  for (const constant of constants) message(out, 5, () => writeConstant(out, constant));
  for (const value of inputs) message(out, 11, () => writeValue(out, value));
  for (const value of outputs) message(out, 12, () => writeValue(out, value));
}

function writeOperation(out: BinaryWriter, { type, inputs, output, attributes = {} }: Operation): void {
  for (const name of inputs) out.tag(1, 2).string(name);
  out.tag(2, 2).string(output).tag(4, 2).string(type);
  for (const [name, value] of Object.entries(attributes))
    message(out, 5, () => out.tag(1, 2).string(name).tag(3, 0).int64(value).tag(20, 0).int32(2));
}

function writeConstant(out: BinaryWriter, { name, dims, data, location }: Constant): void {
  for (const dim of dims) out.tag(1, 0).int64(dim);
  out
    .tag(2, 0)
    .int32(data instanceof Float32Array ? types.float32 : types.int64)
    .tag(8, 2)
    .string(name);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (location === undefined) {
    out.tag(9, 2).bytes(bytes);
    return;
  }
  message(out, 13, () => out.tag(1, 2).string("location").tag(2, 2).string(location));
  message(out, 13, () => out.tag(1, 2).string("length").tag(2, 2).string(String(bytes.length)));
  out.tag(14, 0).int32(1);
}

function writeValue(out: BinaryWriter, { name, type, dims }: Value): void {
  out.tag(1, 2).string(name);
  message(out, 2, () =>
    message(out, 1, () => {
      out.tag(1, 0).int32(types[type]);
      message(out, 2, () => {
        for (const dim of dims)
          message(out, 1, () => (typeof dim === "number" ? out.tag(1, 0).int64(dim) : out.tag(2, 2).string(dim)));
      });
    }),
  );
}
