// Encodes Protobuf messages as JSON text. The text equals JSON.stringify of the value that encode.ts makes, but no
// value is made. There is one encoder for each message type; it holds the names of the fields as finished text.

import { type DescEnum, type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { createFieldEncoder, createGetter, isInBody } from "./encode.ts";
import { wireNames } from "./enum-names.ts";

/** Encodes a message as JSON text. */
export type MessageTextEncoder = (message: Message) => string;

type ValueTextEncoder = (value: unknown) => string;

const encoders = new WeakMap<DescMessage, MessageTextEncoder>();

/** The text encoder of a message type. Throws when a field has a type without a JSON form here. */
export function messageTextEncoder(desc: DescMessage): MessageTextEncoder {
  const cached = encoders.get(desc);
  if (cached !== undefined) return cached;
  const members: MessageTextEncoder[] = [];
  const print = (message: Message): string => {
    let text = "";
    for (let i = 0; i < members.length; i++) text += members[i]?.(message);
    return members.length === 0 ? "{}" : `${text}}`;
  };
  encoders.set(desc, print); // before its fields, which may refer back to it
  for (const field of desc.fields) {
    if (!isInBody(field)) continue;
    const name = `${members.length === 0 ? "{" : ","}${JSON.stringify(field.name)}:`;
    members.push(createFieldTextEncoder(field, name));
  }
  return print;
}

// A member with its name. Usual members are one finished text, since joining two short texts costs as much as copying
// many letters.
function createFieldTextEncoder(field: DescField, name: string): MessageTextEncoder {
  const item = createItemTextEncoder(field);
  if (item === undefined || field.fieldKind === "map") {
    const write = createFieldEncoder(field);
    return (message) => name + JSON.stringify(write(message));
  }
  const get = createGetter(field);
  if (field.fieldKind === "list") {
    const empty = `${name}[]`;
    return (message) => {
      const value = get(message);
      return Array.isArray(value) && value.length > 0 ? name + encodeList(value, item) : empty;
    };
  }
  const unset = `${name}null`;
  const texts = field.fieldKind === "enum" ? enumTexts(field.enum, name) : undefined;
  return (message) => {
    const value = get(message);
    return value === undefined ? unset : (texts?.get(value) ?? name + item(value));
  };
}

function enumTexts(desc: DescEnum, name: string): ReadonlyMap<unknown, string> {
  return new Map([...wireNames(desc).nameOf].map(([number, spelling]) => [number, name + JSON.stringify(spelling)]));
}

function encodeList(value: readonly unknown[], item: ValueTextEncoder): string {
  let text = "[";
  for (let i = 0; i < value.length; i++) text += (i === 0 ? "" : ",") + item(value[i]);
  return `${text}]`;
}

/** The text encoder of single values; undefined for types that are left to encode.ts. */
function createItemTextEncoder(field: DescField): ValueTextEncoder | undefined {
  if (field.message !== undefined) {
    if (field.message.typeName.startsWith("google.")) return undefined;
    const print = messageTextEncoder(field.message);
    return (value) => print(value as Message); // the field's own type
  }
  if (field.enum !== undefined) {
    const { nameOf } = wireNames(field.enum);
    const texts = new Map([...nameOf].map(([number, name]) => [number, JSON.stringify(name)]));
    return (value) => texts.get(value as number) ?? "null"; // enums are numbers
  }
  return isPlain(field.scalar) ? encodeScalar : undefined;
}

// 64-bit integers and bytes are not in messages as they are in JSON.
function isPlain(type: ScalarType | undefined): boolean {
  return type !== undefined && !notPlain.has(type);
}

const notPlain: ReadonlySet<ScalarType> = new Set([
  ScalarType.BYTES,
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
]);

function encodeScalar(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value === 0 ? 0 : value) : "null";
  return String(value);
}
