// Times in requests that no calendar has. JSON cannot say them, but a binary message can: what reads them as a date gets
// none, and the database an error.

import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import type { FieldViolation } from "./fault.ts";

/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, as Protobuf limits timestamps. */
const [minSeconds, maxSeconds, maxNanos] = [-62_135_596_800n, 253_402_300_799n, 999_999_999];

/** The fields of a message, and of messages in it, with a time outside of the years 1 to 9999. */
export function wrongTimes(schema: DescMessage, message: Message): FieldViolation[] {
  // Most requests have no time at all, and are not looked at.
  if (!hasTimes(schema)) return [];
  return [...wrongIn(reflect(schema, message), "")];
}

function* wrongIn(message: ReflectMessage, path: string): Generator<FieldViolation, void> {
  for (const field of message.fields.filter(leadsToTimes)) {
    const name = `${path}${field.name}`;
    for (const [at, value] of messagesOf(message, field)) {
      const isTime = value.desc.typeName === TimestampSchema.typeName;
      if (!isTime) yield* wrongIn(value, `${name}${at}.`);
      // A message of that type's name is one.
      else if (isWrong(value.message as Timestamp))
        yield { field: `${name}${at}`, message: "expected a time of the years 1 to 9999" };
    }
  }
}

function* messagesOf(message: ReflectMessage, field: DescField): Generator<readonly [string, ReflectMessage], void> {
  if (!message.isSet(field)) return;
  if (field.fieldKind === "message") yield ["", message.get(field)];
  else if (field.fieldKind === "list" && field.listKind === "message")
    for (const [i, each] of [...message.get(field)].entries()) yield [`[${i}]`, each as ReflectMessage]; // of messages
}

function isWrong({ seconds, nanos }: Timestamp): boolean {
  return seconds < minSeconds || seconds > maxSeconds || nanos < 0 || nanos > maxNanos;
}

const known = new Map<DescMessage, boolean>();

/** Whether a message of the type can have a time in it. */
function hasTimes(schema: DescMessage): boolean {
  const found = known.get(schema) ?? reaches(schema, new Set());
  known.set(schema, found);
  return found;
}

function reaches(schema: DescMessage, seen: Set<DescMessage>): boolean {
  if (schema.typeName === TimestampSchema.typeName) return true;
  if (seen.has(schema)) return false;
  seen.add(schema);
  return schema.fields.some((field) => {
    const inner = innerOf(field);
    return inner !== undefined && reaches(inner, seen);
  });
}

function leadsToTimes(field: DescField): boolean {
  const inner = innerOf(field);
  return inner !== undefined && hasTimes(inner);
}

function innerOf(field: DescField): DescMessage | undefined {
  if (field.fieldKind === "message") return field.message;
  return field.fieldKind === "list" && field.listKind === "message" ? field.message : undefined;
}
