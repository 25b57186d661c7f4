// Protobuf messages straight into JSON text: the bytes of JSON.stringify over what json-write.ts makes of the message, without making it.
// Printers are made once a message type, with the names of its fields as finished text.

import { type DescEnum, type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { createFieldWriter, createGetter } from "./json-write.ts";
import { headerName, statusWhenTrue, wireNames } from "./wire.ts";

/** Prints a message as JSON. */
export type MessagePrinter = (message: Message) => string;

type ValuePrinter = (value: unknown) => string;

const printers = new WeakMap<DescMessage, MessagePrinter>();

/** The printer of a message type. Throws when a field has a type without a JSON form here. */
export function messagePrinter(desc: DescMessage): MessagePrinter {
  const cached = printers.get(desc);
  if (cached !== undefined) return cached;
  const members: MessagePrinter[] = [];
  const print = (message: Message): string => {
    let text = "";
    for (let i = 0; i < members.length; i++) text += members[i]?.(message);
    return members.length === 0 ? "{}" : `${text}}`;
  };
  printers.set(desc, print); // before its fields, which may refer back to it
  for (const field of desc.fields) {
    if (headerName(field) !== "" || statusWhenTrue(field) !== 0) continue;
    const name = `${members.length === 0 ? "{" : ","}${JSON.stringify(field.name)}:`;
    members.push(createFieldPrinter(field, name));
  }
  return print;
}

// A member with its name. What is usual is one finished text: each piece of an answer costs as much as its letters do.
function createFieldPrinter(field: DescField, name: string): MessagePrinter {
  const item = createItemPrinter(field);
  if (item === undefined || field.fieldKind === "map") {
    const write = createFieldWriter(field);
    return (message) => name + JSON.stringify(write(message));
  }
  const get = createGetter(field);
  if (field.fieldKind === "list") {
    const empty = `${name}[]`;
    return (message) => {
      const value = get(message);
      return Array.isArray(value) && value.length > 0 ? name + printList(value, item) : empty;
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

function printList(value: readonly unknown[], item: ValuePrinter): string {
  let text = "[";
  for (let i = 0; i < value.length; i++) text += (i === 0 ? "" : ",") + item(value[i]);
  return `${text}]`;
}

/** The printer of single values; undefined for types that are left to the writer. */
function createItemPrinter(field: DescField): ValuePrinter | undefined {
  if (field.message !== undefined) {
    if (field.message.typeName.startsWith("google.")) return undefined;
    const print = messagePrinter(field.message);
    return (value) => print(value as Message); // the field's own type
  }
  if (field.enum !== undefined) {
    const { nameOf } = wireNames(field.enum);
    const texts = new Map([...nameOf].map(([number, name]) => [number, JSON.stringify(name)]));
    return (value) => texts.get(value as number) ?? "null"; // enums are numbers
  }
  return isPlain(field.scalar) ? printScalar : undefined;
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

function printScalar(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return Number.isFinite(value) ? String(value === 0 ? 0 : value) : "null";
  return String(value);
}
