// Identifiers.

import { randomUUID } from "node:crypto";

/** A new UUID version 4, the form of every resource id. */
export function newId(): string {
  return randomUUID();
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether the text has the form of a UUID. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
