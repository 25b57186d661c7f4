// Events: webhooks that subscribe to them are told what happened. An event is written in the transaction of the change
// that caused it, so every committed change is told, and none that was rolled back.

import type { DescMessage, JsonObject, JsonValue, MessageShape } from "@bufbuild/protobuf";
import {
  AlertTriggeredDataSchema,
  BundleActivatedDataSchema,
  BundlePromotedDataSchema,
  BundlePublishedDataSchema,
  EvaluationBlockedDataSchema,
  PolicyUpdatedDataSchema,
  SsoConfiguredDataSchema,
  TeamMemberAddedDataSchema,
  TeamMemberRemovedDataSchema,
} from "../../../gen/policyguard/control/v1/event_data_pb.ts";
import { wholeSeconds } from "../../kit/process/clock.ts";
import { newId } from "../../kit/process/id.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { insertEvents, type NewEvent } from "../../store/event/event.ts";
import { holdSubscribers } from "../../store/webhook/webhook.ts";
import { enqueueJob } from "../job.ts";

/** The message that documents the data of each event that the service raises. */
export const eventDataSchemas = {
  "policy.updated": PolicyUpdatedDataSchema,
  "bundle.published": BundlePublishedDataSchema,
  "bundle.activated": BundleActivatedDataSchema,
  "bundle.promoted": BundlePromotedDataSchema,
  "evaluation.blocked": EvaluationBlockedDataSchema,
  "team.member_added": TeamMemberAddedDataSchema,
  "team.member_removed": TeamMemberRemovedDataSchema,
  "sso.configured": SsoConfiguredDataSchema,
  "alert.triggered": AlertTriggeredDataSchema,
} as const;

/** Name of an event that the service raises. */
export type RaisedEvent = keyof typeof eventDataSchemas;

type SnakeCase<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${SnakeCase<Tail>}`
  : Name;

/**
 * A message of strings, numbers and lists as JSON: every field, by its name in the .proto, null where it may be unset.
 */
export type DataOf<Desc extends DescMessage> = {
  readonly [Key in Exclude<keyof MessageShape<Desc>, `$${string}`> & string as SnakeCase<Key>]-?:
    | ItemOf<Exclude<MessageShape<Desc>[Key], undefined>>
    | (undefined extends MessageShape<Desc>[Key] ? null : never);
};

type ItemOf<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;

/** The data of an event. */
export type EventData<Name extends RaisedEvent> = DataOf<(typeof eventDataSchemas)[Name]>;

/** Publishes one event. Returns its id. */
export async function publishEvent<Name extends RaisedEvent>(
  tx: Transaction,
  name: Name,
  data: EventData<Name>,
): Promise<string> {
  const event = newEvent(tx, name, data);
  await tell(tx, name, [event], await holdSubscribers(tx, name));
  return event.id;
}

/**
 * Publishes many events of one name, as ingests raise them by the thousand. One wake-up for each webhook is enough,
 * whatever their number. Events that no webhook subscribes to are not even written, unless `evenUnheard` says so.
 */
export async function publishEvents<Name extends RaisedEvent>(
  tx: Transaction,
  name: Name,
  data: readonly EventData<Name>[],
  { evenUnheard = false } = {},
): Promise<void> {
  if (data.length === 0) return;
  const webhookIds = await holdSubscribers(tx, name);
  if (webhookIds.length === 0 && !evenUnheard) return;
  await tell(
    tx,
    name,
    data.map((entry) => newEvent(tx, name, entry)),
    webhookIds,
  );
}

async function tell(
  tx: Transaction,
  name: RaisedEvent,
  events: readonly NewEvent[],
  webhookIds: readonly string[],
): Promise<void> {
  await insertEvents(tx, name, events, webhookIds);
  for (const id of webhookIds) await enqueueJob(tx, "deliver-webhook", { org_id: tx.orgId, webhook_id: id });
}

function newEvent<Name extends RaisedEvent>(tx: Transaction, name: Name, data: EventData<Name>): NewEvent {
  const id = newEventId();
  const documented = documentedFields(eventDataSchemas[name], data);
  return { id, body: eventBody({ id, event: name, createdAt: tx.now, orgId: tx.orgId, data: documented }) };
}

/** A new id of an event. */
export function newEventId(): string {
  return `evt_${newId()}`;
}

/** The exact text of an event: what is stored, signed and sent. */
export function eventBody(event: {
  readonly id: string;
  readonly event: string;
  readonly createdAt: Date;
  readonly orgId: string;
  readonly data: JsonObject;
}): string {
  return JSON.stringify({
    id: event.id,
    event: event.event,
    created_at: wholeSeconds(event.createdAt),
    org_id: event.orgId,
    data: event.data,
  });
}

// Fields that the message does not document are not sent.
function documentedFields(schema: DescMessage, data: object): JsonObject {
  const values = new Map<string, JsonValue>(Object.entries(data));
  return Object.fromEntries(schema.fields.map(({ name }) => [name, values.get(name) ?? null]));
}
