// Protobuf messages straight into JSON text: the bytes of JSON.stringify over what json-write.ts makes of the message, without making it.
// Printers are made once a message type, with the names of its fields as finished text.

import { type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
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
  const members: { readonly name: string; readonly print: MessagePrinter }[] = [];
  const print = (message: Message): string => {
    let text = "";
    for (const member of members) text += member.name + member.print(message);
    return members.length === 0 ? "{}" : `${text}}`;
  };
  printers.set(desc, print); // before its fields, which may refer back to it
  for (const field of desc.fields) {
    if (headerName(field) !== "" || statusWhenTrue(field) !== 0) continue;
    const name = `${members.length === 0 ? "{" : ","}${JSON.stringify(field.name)}:`;
    members.push({ name, print: createFieldPrinter(field) });
  }
  return print;
}

function createFieldPrinter(field: DescField): MessagePrinter {
  const item = createItemPrinter(field);
  if (item === undefined || field.fieldKind === "map") {
    const write = createFieldWriter(field);
    return (message) => JSON.stringify(write(message));
  }
  const get = createGetter(field);
  if (field.fieldKind === "list") return (message) => printList(get(message), item);
  return (message) => {
    const value = get(message);
    return value === undefined ? "null" : item(value);
  };
}

function printList(value: unknown, item: ValuePrinter): string {
  if (!Array.isArray(value) || value.length === 0) return "[]";
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
