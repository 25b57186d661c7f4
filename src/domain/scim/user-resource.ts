// A member as a SCIM user, and what a directory says about one.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { ScimUserView } from "../../store/scim/scim-user.ts";
import { type EmailAddress, parseEmail } from "../mail/email.ts";
import { isObject, isPrimary, placeOf, readMembers, readValue } from "./attribute.ts";
import { scimInvalid } from "./fault.ts";
import { enterpriseSchema, userSchema, userShape } from "./schema.ts";

/** Bytes of all attributes of a user together. */
export const maxAttributeBytes = 16 * 1024;
/** Characters of a user name, and of an external id. */
export const maxNameLength = 320;

/** What a directory may say about a user, under canonical names. */
export interface UserInput {
  readonly userName: string;
  readonly externalId: string | undefined;
  /** Undefined: it stays as it is. */
  readonly active: boolean | undefined;
  /** Everything else. */
  readonly attributes: JsonObject;
  readonly email: EmailAddress;
}

/** The address at which resources of this organization are found, without a slash at its end. */
export type BaseUrl = string;

/** The member as SCIM shows them. */
export function userResource(view: ScimUserView, baseUrl: BaseUrl): JsonObject {
  const attributes = shownAttributes(view);
  const { groups } = view;
  return {
    schemas: [userSchema.uri, ...(attributes[enterpriseSchema.uri] === undefined ? [] : [enterpriseSchema.uri])],
    id: view.id,
    ...attributes,
    ...(groups.length === 0
      ? {}
      : { groups: groups.map(({ id, display_name }) => ({ value: id, display: display_name, type: "direct" })) }),
    roles: [{ value: view.role, display: view.role, primary: true }],
    meta: {
      resourceType: "User",
      created: shownTime(view.created_at),
      lastModified: shownTime(changedAt(view)),
      location: userLocation(view.id, baseUrl),
      version: userVersion(view),
    },
  };
}

/** A time as this product writes times: whole seconds. */
export function shownTime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** Address of a user. */
export function userLocation(id: string, baseUrl: BaseUrl): string {
  return `${baseUrl}/Users/${id}`;
}

/** What the directory has said, and what it may write besides: what a PATCH starts from. */
export function writableAttributes(view: ScimUserView): JsonObject {
  const { user_name: userName, attributes, external_id: externalId, email, state } = view;
  return {
    ...(externalId == null ? {} : { externalId }),
    userName: userName ?? email,
    ...attributes,
    active: state !== "deactivated",
  };
}

// What nobody has said yet follows from the membership.
function shownAttributes(view: ScimUserView): JsonObject {
  const { account_name: name, email } = view;
  return {
    ...(name === null ? {} : { displayName: name }),
    emails: [{ value: email, type: "work", primary: true }],
    ...writableAttributes(view),
  };
}

/** Its entity tag. It changes with whatever the directory or an admin changes. */
export function userVersion(view: ScimUserView): string {
  return `W/"${view.version ?? 0}-${view.updated_at.getTime()}"`;
}

function changedAt({ updated_at, changed_at }: ScimUserView): Date {
  return changed_at == null || changed_at < updated_at ? updated_at : changed_at;
}

/**
 * Reads a user as a directory sends them. Names in any case and with their URN are understood, unknown ones dropped.
 * `present` is the address of a member, which stays when the body names none.
 */
export function readUser(body: JsonObject, present?: EmailAddress): UserInput {
  const { userName, externalId, active, ...attributes } = readResource(body);
  if (typeof userName !== "string") throw scimInvalid("invalidValue", "userName is required");
  assertShort("userName", userName);
  if (typeof externalId === "string") assertShort("externalId", externalId);
  if (Buffer.byteLength(JSON.stringify(attributes)) > maxAttributeBytes) {
    throw scimInvalid("invalidValue", `the attributes of a user have at most ${maxAttributeBytes} bytes together`);
  }
  return {
    userName,
    externalId: typeof externalId === "string" ? externalId : undefined,
    active: typeof active === "boolean" ? active : undefined,
    attributes,
    email: addressOf(userName, attributes, present),
  };
}

function readResource(body: JsonObject): JsonObject {
  const read: JsonObject = {};
  for (const [name, value] of Object.entries(body)) {
    const place = placeOf(userShape, name);
    if (place === undefined) continue;
    const { extension, attribute, sub } = place;
    const holder = extension === undefined ? read : memberOf(read, extension.uri);
    if (extension !== undefined && attribute === undefined) {
      if (value !== null && !isObject(value)) throw scimInvalid("invalidValue", `${extension.uri} has to be an object`);
      if (value !== null) Object.assign(holder, readMembers(extension.attributes, value, extension.uri));
    } else if (attribute !== undefined && attribute.mutability === undefined) {
      if (sub !== undefined)
        Object.assign(memberOf(holder, attribute.name), readMembers([sub], { [sub.name]: value }, attribute.name));
      else setRead(holder, attribute.name, readValue(attribute, value, attribute.name));
    }
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => !isEmpty(value)));
}

function memberOf(holder: JsonObject, name: string): JsonObject {
  const present = holder[name];
  if (isObject(present)) return present;
  const made: JsonObject = {};
  holder[name] = made;
  return made;
}

function setRead(holder: JsonObject, name: string, value: JsonValue | undefined): void {
  if (value !== undefined) holder[name] = value;
}

function isEmpty(value: JsonValue): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function assertShort(name: string, value: string): void {
  if (value.length > maxNameLength) {
    throw scimInvalid("invalidValue", `${name} has at most ${maxNameLength} characters`);
  }
}

/** The primary address, else the one for work, else the first, else the user name when it is an address. */
function addressOf(userName: string, { emails }: JsonObject, present: EmailAddress | undefined): EmailAddress {
  const items = (Array.isArray(emails) ? emails : []).filter(isObject);
  const isWork = ({ type }: JsonObject) => typeof type === "string" && type.toLowerCase() === "work";
  const chosen = items.find(isPrimary) ?? items.find(isWork) ?? items[0];
  const text = typeof chosen?.value === "string" ? chosen.value : userName;
  try {
    return parseEmail(text.trim());
  } catch {
    if (chosen === undefined && present !== undefined) return present;
    throw scimInvalid(
      "invalidValue",
      "a user needs an e-mail address: give emails with a value, or a userName that is an address",
    );
  }
}

/** The form by which user names are found: two spellings of one name have the same. */
export function userNameKey(userName: string): string {
  return userName.normalize("NFKC").toLowerCase().normalize("NFKC");
}

/** The form of a text by which addresses of members are found. */
export function emailKeyOf(text: string): string {
  try {
    return parseEmail(text).key;
  } catch {
    return userNameKey(text);
  }
}

/** The forms by which the addresses among a user's attributes are found, each once. */
export function addressKeys({ emails }: JsonObject): string[] {
  const values = (Array.isArray(emails) ? emails : []).map((item) => (isObject(item) ? item.value : undefined));
  return [...new Set(values.flatMap((value) => addressKey(value) ?? []))].sort();
}

/** The form by which an address among a user's attributes is found; undefined for what is too long for an index. */
export function addressKey(value: JsonValue | undefined): string | undefined {
  const key = typeof value === "string" ? userNameKey(value) : "";
  return key === "" || key.length > maxNameLength ? undefined : key;
}

/** The name of a person for their account. */
export function personName({ attributes, email }: UserInput): string {
  const name = isObject(attributes.name) ? attributes.name : {};
  const parts = [name.givenName, name.familyName].filter((part) => typeof part === "string").join(" ");
  const found = [attributes.displayName, name.formatted, parts].find((each) => typeof each === "string" && each !== "");
  const text =
    typeof found === "string"
      ? found
          .replace(/\p{Cc}/gu, "")
          .trim()
          .slice(0, 200)
      : "";
  return text || email.text;
}
