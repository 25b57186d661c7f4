// Events as the `webhooks` of the document: requests that the server sends and others answer. The data of an event is
// the message that has its name, such as BundlePublishedData for bundle.published.

import type { DescEnum, DescEnumValue, DescMessage, JsonObject } from "@bufbuild/protobuf";
import { wireNames } from "../json/enum-names.ts";
import { type Comments, firstSentence } from "./comment.ts";
import { refTo, type Schema, type WebhookItem } from "./model.ts";
import type { Sampler } from "./sample.ts";
import type { SchemaBook } from "./schema.ts";

/** An event with the message of its data. */
export interface EventDesc {
  readonly name: string;
  readonly value: DescEnumValue;
  readonly data: DescMessage;
}

/** What events are described from. */
export interface EventSources {
  readonly book: SchemaBook;
  readonly sampler: Sampler;
  readonly comments: Comments;
}

/** An event as everybody may read of it: complete in itself. */
export interface PublishedEvent {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the body, with all that it refers to. */
  readonly schema: JsonObject;
  readonly example: JsonObject;
}

/** The events of an enum of names, each with its data. Throws for one without. */
export function eventsOf(names: DescEnum, messages: Iterable<DescMessage>): EventDesc[] {
  const byName = new Map([...messages].map((message) => [message.typeName, message]));
  const { nameOf } = wireNames(names);
  return names.values.flatMap((value) => {
    const name = nameOf.get(value.number);
    if (typeof name !== "string") return [];
    const wanted = `${names.file.proto.package}.${dataName(name)}`;
    const data = byName.get(wanted);
    if (data === undefined) throw new Error(`the event ${name} has no message ${wanted}`);
    return [{ name, value, data }];
  });
}

/** "team.member_added" becomes "TeamMemberAddedData". */
function dataName(event: string): string {
  const words = event.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join("")}Data`;
}

/** The schema of an event's body; that of its data by reference. */
function eventSchema({ name, data }: EventDesc, { book }: EventSources): Schema {
  return {
    type: "object",
    properties: {
      id: {
        type: "string",
        description: "Id of the event: the same for every attempt, and for every webhook that gets it.",
      },
      event: { const: name },
      created_at: { type: "string", format: "date-time", description: "When the event happened." },
      org_id: { type: "string", format: "uuid", description: "The organization in which it happened." },
      data: book.message(data, "out"),
    },
    required: ["id", "event", "created_at", "org_id", "data"],
  };
}

/** An example of an event's body. */
function eventExample({ name, data }: EventDesc, { sampler }: EventSources): JsonObject {
  const id = "5b0f2b0e-4a1c-4c07-9a3b-0d6b3f0b9d11";
  return {
    id: `evt_${id}`,
    event: name,
    created_at: "2026-11-20T09:00:00Z",
    org_id: id,
    data: sampler.message(data, "out"),
  };
}

/** The request that tells of an event. */
export function describeEvent(event: EventDesc, sources: EventSources): WebhookItem {
  const comment = sources.comments.of(event.value);
  return {
    post: {
      operationId: `on${dataName(event.name).replace(/Data$/, "")}`,
      tags: ["Webhook"],
      summary: firstSentence(comment),
      description: comment,
      security: [],
      parameters: deliveryHeaders.map(([name, required, description]) => {
        return { name, in: "header" as const, required, description, schema: { type: "string" } };
      }),
      requestBody: {
        required: true,
        content: {
          "application/json": { schema: eventSchema(event, sources), example: eventExample(event, sources) },
        },
      },
      responses: {
        "2XX": { description: "The delivery is done." },
        default: { description: "Attempted again, five times in all over about two hours." },
      },
    },
  };
}

/** An event with its schema whole: what it refers to is in its `$defs`. */
export function publishEvent(
  event: EventDesc,
  schemas: Readonly<Record<string, Schema>>,
  sources: EventSources,
): PublishedEvent {
  const schema = eventSchema(event, sources);
  const definitions: Record<string, Schema> = {};
  const collect = (value: JsonObject): void => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      const found = schemas[name];
      if (found === undefined || name in definitions) continue;
      definitions[name] = found;
      collect(found);
    }
  };
  collect(schema);
  const whole = { $schema: "https://json-schema.org/draft/2020-12/schema", ...schema, $defs: definitions };
  return {
    name: event.name,
    description: sources.comments.of(event.value),
    schema: JSON.parse(JSON.stringify(whole).replaceAll(`"${refTo("schemas", "").$ref}`, '"#/$defs/')),
    example: eventExample(event, sources),
  };
}

const deliveryHeaders: readonly (readonly [name: string, required: boolean, description: string])[] = [
  ["X-Webhook-Id", true, "Id of the event: the same for every attempt."],
  ["X-Webhook-Event", true, "Name of the event."],
  ["X-Webhook-Timestamp", true, "When this attempt was sent, in seconds since 1970."],
  ["X-Webhook-Attempt", true, "Number of the attempt, from 1."],
  [
    "X-Webhook-Signature",
    false,
    "`sha256=` and the HMAC-SHA256 of the raw body in hexadecimal, when there is a secret.",
  ],
  ["X-Webhook-Signature-Previous", false, "The same with the secret before the last rotation, for 24 hours after it."],
  ["webhook-id", true, "The same as X-Webhook-Id, as Standard Webhooks calls it."],
  ["webhook-timestamp", true, "The same as X-Webhook-Timestamp, as Standard Webhooks calls it."],
  ["webhook-signature", false, "Signatures as Standard Webhooks makes them, when there is a secret."],
];
