// Identifiers.

import { randomUUID } from "node:crypto";

/** A new UUID version 4, the form of every resource id. */
export function newId(): string {
  return randomUUID();
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Whether the text is an id as `newId` makes them, in either case. */
export function isId(text: string): boolean {
  return version4.test(text);
}

/** Whether the text has the form of a UUID, of any version. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
