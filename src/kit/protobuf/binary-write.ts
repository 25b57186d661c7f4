// Protobuf messages into bytes, for the few that are written with every evaluation: the bytes of toBinary, for a
// quarter of its time. Writers are made once a message type. A message is written backwards, from its last field to its
// first, so that the length of what is nested is known when its turn comes, and nothing has to be moved.
// (https://protobuf.dev/programming-guides/encoding/)

import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type Message,
  type MessageShape,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";

/** Messages are read by field name, which only a cast can express. */
type Fields = Readonly<Record<string, unknown>>;

type Write = (value: unknown) => void;
type WriteFields = (message: Fields) => void;

// One text is written at a time, into one buffer that grows up to a limit.
const startBytes = 64 * 1024;
const keptBytes = 4 * 1024 * 1024;
let bytes = Buffer.allocUnsafeSlow(startBytes);
let at = bytes.length;

/** A part of a message to write. */
export interface WrittenPart<Message> {
  /** The fields to write, and no others. Default: all. */
  readonly only?: readonly (keyof Message & string)[];
  /**
   * Values to write instead of those of fields. A copy of a message with another value for one of them would cost more
   * than to write it.
   */
  readonly instead?: { readonly [Name in keyof Message & string]?: (value: Message[Name]) => Message[Name] };
}

/**
 * A writer of this message type, or of a part of it, which leaves room for a head before the message. Throws for a type
 * with fields that it does not know how to write: maps, groups, rare numbers.
 */
export function binaryWriter<Desc extends DescMessage>(
  desc: Desc,
  part?: WrittenPart<MessageShape<Desc>>,
): (message: MessageShape<Desc>, headBytes?: number) => Buffer {
  const write = viewerOf<MessageShape<Desc>>(part === undefined ? fieldsWriter(desc) : partWriter(desc, part));
  return (message, headBytes = 0) => {
    const view = write(message);
    const result = Buffer.allocUnsafe(headBytes + view.length);
    view.copy(result, headBytes);
    return result;
  };
}

/** The same, for bytes that are copied to their place at once: they hold until any other message is written. */
export function binaryViewer<Desc extends DescMessage>(desc: Desc): (message: MessageShape<Desc>) => Buffer {
  return viewerOf(fieldsWriter(desc));
}

function viewerOf<Message>(write: WriteFields): (message: Message) => Buffer {
  return (message) => {
    if (bytes.length > keptBytes) bytes = Buffer.allocUnsafeSlow(startBytes);
    at = bytes.length;
    write(message as unknown as Fields);
    return bytes.subarray(at);
  };
}

const writers = new WeakMap<DescMessage, WriteFields>();

function fieldsWriter(desc: DescMessage): WriteFields {
  const known = writers.get(desc);
  if (known !== undefined) return known;
  const fields: WriteFields[] = [];
  const write: WriteFields = (message) => {
    const { $unknown: unknown } = message as Pick<Message, "$unknown">;
    if (unknown !== undefined) writeUnknown(unknown);
    for (let i = fields.length - 1; i >= 0; i--) fields[i]?.(message);
  };
  writers.set(desc, write); // before its fields, which may refer back to it
  for (const field of desc.fields.toSorted((a, b) => a.number - b.number)) fields.push(fieldWriter(field));
  return write;
}

// Fields of oneofs have no values of their own, so they are written or left out as they are.
function partWriter<Message>(desc: DescMessage, { only, instead = {} }: WrittenPart<Message>): WriteFields {
  const kept = desc.fields.filter(({ localName }) => only === undefined || only.some((name) => name === localName));
  const fields = kept
    .toSorted((a, b) => a.number - b.number)
    .map((field): WriteFields => {
      const write = fieldWriter(field);
      const replaced = (instead as Readonly<Record<string, (value: unknown) => unknown>>)[field.localName];
      if (replaced === undefined) return write;
      return (message) => write({ [field.localName]: replaced(message[field.localName]) });
    });
  return (message) => {
    const { $unknown: unknown } = message as { readonly $unknown?: Unknown };
    if (unknown !== undefined && only === undefined) writeUnknown(unknown);
    for (let i = fields.length - 1; i >= 0; i--) fields[i]?.(message);
  };
}

function fieldWriter(field: DescField): WriteFields {
  const { localName, oneof } = field;
  const write = valueWriter(field);
  if (field.fieldKind === "list") return listWriter(field, write);
  if (oneof !== undefined) {
    return (message) => {
      const { case: name, value } = message[oneof.localName] as { readonly case?: string; readonly value?: unknown };
      if (name === localName) write(value);
    };
  }
  const zero = zeroOf(field);
  return (message) => {
    const value = message[localName];
    if (value !== undefined && value !== zero && !(zero === 0n && value === 0)) write(value);
  };
}

/** The value that counts as absent; undefined for a field with explicit presence. */
function zeroOf(field: DescField): unknown {
  if (field.fieldKind === "enum") return field.presence === implicit ? field.enum.values[0]?.number : undefined;
  if (field.fieldKind !== "scalar" || field.presence !== implicit) return undefined;
  switch (field.scalar) {
    case ScalarType.STRING:
      return "";
    case ScalarType.BOOL:
      return false;
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return 0n;
    case ScalarType.DOUBLE:
    case ScalarType.BYTES:
      return undefined; // -0 and emptiness are no identical values; they look for themselves
    default:
      return 0;
  }
}

/** google.protobuf.FeatureSet.FieldPresence.IMPLICIT. */
const implicit = 2;

function listWriter(field: DescField & { fieldKind: "list" }, write: Write): WriteFields {
  const { localName, number, packed } = field;
  const tag = number * 8 + 2;
  return (message) => {
    const items = message[localName] as readonly unknown[];
    const end = bytes.length - at;
    for (let i = items.length - 1; i >= 0; i--) write(items[i]);
    if (!packed || items.length === 0) return;
    writeVarint(bytes.length - at - end);
    writeVarint(tag);
  };
}

/** Writes a value with its tag; items of packed lists without. */
function valueWriter(field: DescField): Write {
  if (field.fieldKind === "map") throw new Error(`${field} is a map, which is not written here`);
  if (field.message !== undefined) return messageFieldWriter(field, field.message);
  const isPacked = field.fieldKind === "list" && field.packed;
  if (field.enum !== undefined || field.scalar === ScalarType.INT32)
    return tagged(field.number * 8, isPacked, writeInt32);
  switch (field.scalar) {
    case ScalarType.STRING:
      return tagged(field.number * 8 + 2, isPacked, writeString);
    case ScalarType.BOOL:
      return tagged(field.number * 8, isPacked, (value) => writeVarint(value === true ? 1 : 0));
    case ScalarType.UINT32:
      return tagged(field.number * 8, isPacked, writeUint32);
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return tagged(field.number * 8, isPacked, writeInt64);
    case ScalarType.DOUBLE: {
      const write = tagged(field.number * 8 + 1, isPacked, writeDouble);
      return hasPresence(field) ? write : (value) => Object.is(value, 0) || write(value);
    }
    case ScalarType.BYTES: {
      const write = tagged(field.number * 8 + 2, isPacked, writeBytes);
      return hasPresence(field) ? write : (value) => (value as Uint8Array).byteLength === 0 || write(value);
    }
    default:
      throw new Error(`${field} has a type that is not written here`);
  }
}

function hasPresence(field: DescField): boolean {
  return field.fieldKind === "list" || field.oneof !== undefined || field.presence !== implicit;
}

function tagged(tag: number, isPacked: boolean, write: Write): Write {
  if (isPacked) return write;
  return (value) => {
    write(value);
    writeVarint(tag);
  };
}

function messageFieldWriter(field: DescField, desc: DescMessage): Write {
  const tag = field.number * 8 + 2;
  const write = nestedWriter(desc);
  return (value) => {
    const end = bytes.length - at;
    write(value as Fields);
    writeVarint(bytes.length - at - end);
    writeVarint(tag);
  };
}

function nestedWriter(desc: DescMessage): WriteFields {
  if (desc.typeName === StructSchema.typeName)
    return (value) => writeRaw(toBinary(StructSchema, fromJson(StructSchema, value as JsonObject)));
  if (desc.typeName.startsWith("google.") && desc.typeName !== "google.protobuf.Timestamp")
    throw new Error(`${desc.typeName} is not written here`);
  return fieldsWriter(desc);
}

function reserve(sizeBytes: number): void {
  if (at >= sizeBytes) return;
  const written = bytes.length - at;
  const larger = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, written + sizeBytes));
  bytes.copy(larger, larger.length - written, at);
  at = larger.length - written;
  bytes = larger;
}

function writeVarint(value: number): void {
  reserve(5);
  if (value < 0x80) {
    bytes[--at] = value;
    return;
  }
  const size = value < 0x4000 ? 2 : value < 0x200000 ? 3 : value < 0x10000000 ? 4 : 5;
  at -= size;
  let place = at;
  let rest = value >>> 0;
  for (; rest > 0x7f; rest >>>= 7) bytes[place++] = (rest & 0x7f) | 0x80;
  bytes[place] = rest;
}

function writeInt32(value: unknown): void {
  if (typeof value !== "number" || (value | 0) !== value) throw new Error(`${value} is not a 32-bit integer`);
  if (value >= 0) writeVarint(value);
  else writeInt64(BigInt(value));
}

function writeUint32(value: unknown): void {
  if (typeof value !== "number" || value >>> 0 !== value) throw new Error(`${value} is not a 32-bit integer`);
  writeVarint(value);
}

function writeInt64(value: unknown): void {
  if (typeof value !== "bigint" && typeof value !== "number") throw new Error(`${value} is not an integer`);
  if (value >= 0 && value <= 0x7fffffff) {
    writeVarint(Number(value));
    return;
  }
  let rest = BigInt.asUintN(64, BigInt(value));
  const groups: number[] = [];
  for (; rest > 0x7fn; rest >>= 7n) groups.push(Number(rest & 0x7fn) | 0x80);
  groups.push(Number(rest));
  writeRaw(Uint8Array.from(groups));
}

function writeDouble(value: unknown): void {
  reserve(8);
  at -= 8;
  bytes.writeDoubleLE(value as number, at);
}

function writeBytes(value: unknown): void {
  const content = value as Uint8Array;
  writeRaw(content);
  writeVarint(content.byteLength);
}

function writeRaw(content: Uint8Array): void {
  reserve(content.byteLength);
  at -= content.byteLength;
  bytes.set(content, at);
}

/** Up to this length a loop is faster than a call of the encoder. */
const shortUnits = 16;

function writeString(value: unknown): void {
  const text = value as string;
  if (text.length <= shortUnits && writeAscii(text)) {
    writeVarint(text.length);
    return;
  }
  const sizeBytes = Buffer.byteLength(text);
  reserve(sizeBytes);
  at -= sizeBytes;
  bytes.write(text, at, sizeBytes, "utf8");
  writeVarint(sizeBytes);
}

function writeAscii(text: string): boolean {
  reserve(shortUnits);
  const start = at - text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) return false;
    bytes[start + i] = unit;
  }
  at = start;
  return true;
}

type Unknown = NonNullable<Message["$unknown"]>;

function writeUnknown(unknown: Unknown): void {
  for (let i = unknown.length - 1; i >= 0; i--) {
    const field = unknown[i];
    if (field === undefined) continue;
    writeRaw(field.data);
    writeVarint(field.no * 8 + field.wireType);
  }
}
