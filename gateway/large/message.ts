// Encodes messages that are so large that encoding them at once would delay every other call: a bundle of 30 MB takes a
// quarter of a second as JSON of REST, and three seconds as JSON of Connect. They are encoded in steps, each for one
// field, one entry of a list, or one chunk of bytes. The result differs from the ordinary one in the order of fields
// only: large fields come last.

import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type Message,
  ScalarType,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { sizeOf } from "../http/http.ts";
import { messageEncoder } from "../json/encode.ts";
import type { Steps } from "./slices.ts";

/** Size from which a message is large. The slowest of the encodings takes a few milliseconds for a smaller one. */
export const largeBytes = 64 * 1024;

/** Bytes that become base64 in one step; divisible by three, so that the chunks join without padding. */
const base64Bytes = 3 * 64 * 1024;

/** Messages are read by field name, which only a cast can express. */
type Fields = Record<string, unknown>;

/** A form of JSON that messages have. */
export interface JsonForm {
  nameOf(field: DescField): string;
  /** The message, except for the fields that are `left` out. */
  write(desc: DescMessage, message: Message, left: ReadonlySet<DescField>): JsonObject;
}

/** JSON as REST callers have it. */
export const restJson: JsonForm = {
  nameOf: ({ name }) => name,
  write: (desc, message, left) => messageEncoder(desc)(message, left),
};

/** JSON by the rules of Protobuf, for RPC callers. */
export const protobufJson: JsonForm = {
  nameOf: ({ jsonName }) => jsonName,
  write: (desc, message, left) => toJson(desc, without(message, left)) as JsonObject, // none but google's own types are no objects
};

/** Whether a message, or a value in one, is to be encoded in steps. Stops looking as soon as it knows. */
export function isLarge(value: unknown): boolean {
  return roomAfter(value, largeBytes) <= 0;
}

function roomAfter(value: unknown, room: number): number {
  if (typeof value === "string") return room - value.length;
  if (typeof value !== "object" || value === null) return room - 8;
  if (value instanceof Uint8Array) return room - value.byteLength;
  let left = room;
  for (const each of Array.isArray(value) ? value : Object.values(value)) {
    left = roomAfter(each, left - 8);
    if (left <= 0) break;
  }
  return left;
}

/** The JSON of a message, as chunks of a text in UTF-8. */
export function* jsonChunks(form: JsonForm, desc: DescMessage, message: Message): Steps<Uint8Array[]> {
  const text = new TextChunks();
  yield* printMessage(form, desc, message, text);
  return text.end();
}

/** The JSON of one field, which is set. */
export function* jsonFieldChunks(form: JsonForm, field: DescField, message: Message): Steps<Uint8Array[]> {
  const text = new TextChunks();
  yield* printField(form, field, fieldValue(message, field), text);
  return text.end();
}

/** Whether the field is one that can be encoded in steps. */
export function hasSteps(field: DescField): boolean {
  if (field.oneof !== undefined || field.fieldKind === "map") return false;
  if (field.message === undefined) return field.fieldKind === "scalar" && field.scalar === ScalarType.BYTES;
  return field.message.typeName === StructSchema.typeName || !field.message.typeName.startsWith("google.");
}

function* printMessage(form: JsonForm, desc: DescMessage, message: Message, text: TextChunks): Steps<void> {
  const large = largeFields(desc, message);
  const rest = JSON.stringify(form.write(desc, message, large));
  if (large.size === 0) text.add(rest);
  else {
    let before = rest === "{}" ? "{" : `${rest.slice(0, -1)},`;
    for (const field of large) {
      text.add(`${before}${JSON.stringify(form.nameOf(field))}:`);
      yield* printField(form, field, fieldValue(message, field), text);
      before = ",";
    }
    text.add("}");
  }
  yield;
}

function* printField(form: JsonForm, field: DescField, value: unknown, text: TextChunks): Steps<void> {
  if (!Array.isArray(value)) {
    yield* printItem(form, field, value, text);
    return;
  }
  let before = "[";
  for (const item of value) {
    text.add(before);
    yield* printItem(form, field, item, text);
    before = ",";
  }
  text.add(before === "[" ? "[]" : "]");
}

function* printItem(form: JsonForm, { message: desc }: DescField, value: unknown, text: TextChunks): Steps<void> {
  if (desc === undefined)
    yield* printBytes(value as Uint8Array, text); // the only scalar that has steps
  else if (desc.typeName !== StructSchema.typeName) yield* printMessage(form, desc, value as Message, text);
  else {
    text.add(JSON.stringify(value));
    yield;
  }
}

function* printBytes(bytes: Uint8Array, text: TextChunks): Steps<void> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  text.add('"');
  for (let start = 0; start < all.length; start += base64Bytes) {
    text.addAscii(all.toString("base64", start, start + base64Bytes));
    yield;
  }
  text.add('"');
}

/** The message in the binary format, as chunks. Bytes in it are not copied. */
export function* binaryChunks(desc: DescMessage, message: Message): Steps<Uint8Array[]> {
  const large = largeFields(desc, message);
  const pieces: Uint8Array[] = [toBinary(desc, without(message, large))];
  yield;
  for (const field of large) {
    const value = fieldValue(message, field);
    for (const item of Array.isArray(value) ? value : [value]) {
      const inner = yield* binaryItem(field, item);
      const head = new BinaryWriter().tag(field.number, WireType.LengthDelimited).uint32(sizeOf(inner));
      pieces.push(head.finish(), ...inner);
    }
  }
  return pieces;
}

function* binaryItem({ message: desc }: DescField, value: unknown): Steps<Uint8Array[]> {
  if (desc === undefined) return [value as Uint8Array]; // the only scalar that has steps
  if (desc.typeName !== StructSchema.typeName) return yield* binaryChunks(desc, value as Message);
  const struct = toBinary(StructSchema, fromJson(StructSchema, value as JsonObject));
  yield;
  return [struct];
}

function largeFields(desc: DescMessage, message: Message): ReadonlySet<DescField> {
  return new Set(desc.fields.filter((field) => hasSteps(field) && isLarge(fieldValue(message, field))));
}

function fieldValue(message: Message, { localName }: DescField): unknown {
  return (message as unknown as Fields)[localName];
}

/** The message with these fields unset. */
function without(message: Message, left: ReadonlySet<DescField>): Message {
  if (left.size === 0) return message;
  const rest: Fields = Object.assign(Object.create(Object.getPrototypeOf(message)), message);
  for (const field of left) {
    if (field.fieldKind === "list") rest[field.localName] = [];
    else if (field.fieldKind === "scalar") rest[field.localName] = new Uint8Array();
    else delete rest[field.localName];
  }
  return rest as unknown as Message;
}

/** A text that is encoded as it grows. */
class TextChunks {
  readonly #pieces: Uint8Array[] = [];
  #text = "";

  add(text: string): void {
    this.#text += text;
    if (this.#text.length > largeBytes) this.#flush();
  }

  /** A long text of ASCII alone, which is fast. */
  addAscii(text: string): void {
    this.#flush();
    this.#pieces.push(Buffer.from(text, "latin1"));
  }

  end(): Uint8Array[] {
    this.#flush();
    return this.#pieces;
  }

  #flush(): void {
    if (this.#text === "") return;
    this.#pieces.push(Buffer.from(this.#text));
    this.#text = "";
  }
}
