// PATCH of a group. Its members are a set of ids, which may be thousands: operations on them never compare each with
// each.

import type { JsonValue } from "@bufbuild/protobuf";
import { isObject, named, placeName, readOne } from "./attribute.ts";
import { scimInvalid } from "./fault.ts";
import { parsePath } from "./filter.ts";
import { matches } from "./match.ts";
import { type Operation, partsOf, patched } from "./patch.ts";
import { groupSchema, groupShape } from "./schema.ts";

/** Members that one request may name. */
export const maxMembers = 1_000;

/** A group as a directory writes it. */
export interface GroupState {
  readonly displayName: string;
  readonly externalId: string | undefined;
  readonly members: ReadonlySet<string>;
}

/** The group with the operations carried out. `id` is that of the group. */
export function patchedGroup(state: GroupState, operations: readonly Operation[], id: string): GroupState {
  const members = new Set(state.members);
  const others: Operation[] = [];
  let namedMembers = 0;
  for (const operation of operations) {
    const { op, path, value } = operation;
    for (const [text, part] of partsOf(op, path, value)) {
      if (!isAboutMembers(text))
        others.push(path === undefined ? { op, path, value: { [text]: part ?? null } } : operation);
      else namedMembers += changeMembers(members, op, text, part);
    }
  }
  if (namedMembers > maxMembers) throw tooManyMembers();
  const { displayName, externalId } = state;
  const rest = { displayName, ...(externalId === undefined ? {} : { externalId }) };
  return { ...readNames(patched(groupShape, rest, others, { id })), members };
}

function isAboutMembers(text: string): boolean {
  const name = text.trim().toLowerCase().replace(`${groupSchema.uri.toLowerCase()}:`, "");
  return /^members(?:$|[.[\s])/.test(name);
}

/** Carries one operation out, and returns how many members it names. */
function changeMembers(members: Set<string>, op: Operation["op"], text: string, value: JsonValue | undefined): number {
  const { place, where } = parsePath(groupShape, text);
  if (place.sub !== undefined) {
    throw scimInvalid("mutability", `${placeName(place)} cannot be changed: add or remove the member as a whole`);
  }
  if (where !== undefined) {
    if (op !== "remove") throw scimInvalid("invalidPath", "members are added or replaced without a filter");
    for (const id of [...members]) if (matches(where, { value: id, type: "User" })) members.delete(id);
    return 0;
  }
  const ids = readMembers(value ?? null);
  // Without a list all go; Entra ID names those that go in one.
  if (op === "replace" || (op === "remove" && value == null)) members.clear();
  for (const id of ids) {
    if (op === "remove") members.delete(id);
    else members.add(id);
  }
  return ids.length;
}

/** The ids of a list of members. Throws invalidValue. */
export function readMembers(value: JsonValue): string[] {
  const attribute = named(groupSchema.attributes, "members");
  // One by one: a list of values drops those of which nothing is known, and a list without members empties a group.
  const items = value === null ? [] : [value].flat();
  const ids = items.map((item, index) => {
    const member = attribute && readOne(attribute, item, `members[${index}]`);
    if (isObject(member) && typeof member.value === "string") return member.value.toLowerCase();
    throw scimInvalid("invalidValue", `members[${index}].value is required`);
  });
  if (ids.length > maxMembers) throw tooManyMembers();
  return ids;
}

/** The names of a group. Throws invalidValue. */
export function readNames({ displayName, externalId }: { readonly [name: string]: JsonValue }) {
  if (typeof displayName !== "string" || displayName.trim() === "") {
    throw scimInvalid("invalidValue", "displayName is required, and not blank");
  }
  if (displayName.length > 256) throw scimInvalid("invalidValue", "displayName has at most 256 characters");
  if (typeof externalId === "string" && externalId.length > 320) {
    throw scimInvalid("invalidValue", "externalId has at most 320 characters");
  }
  return { displayName, externalId: typeof externalId === "string" ? externalId : undefined };
}

function tooManyMembers() {
  return scimInvalid("invalidValue", `a request names at most ${maxMembers} members; send the others in further ones`);
}
