// Which fields of a request are parameters, in path, query or headers, and which are the body. Their failures differ in
// status: 400 for a parameter, 422 for the body.

import {
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  isMessage,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { header, parameter } from "../../../gen/policyguard/options/v1/options_pb.ts";
import { Fault, type FieldViolation, validationFailed } from "../fault/fault.ts";
import { methodFacts } from "./options.ts";

const known = new WeakMap<DescMethod, ReadonlySet<string>>();

/**
 * Names of the request's parameters, a header's both as field and as header. Empty for a method without a REST form.
 */
export function parametersOf(method: DescMethod): ReadonlySet<string> {
  const cached = known.get(method);
  if (cached !== undefined) return cached;
  const names = new Set(namesOf(method));
  known.set(method, names);
  return names;
}

function namesOf(method: DescMethod): string[] {
  const { http } = methodFacts(method);
  if (http?.pattern.value === undefined) return [];
  const inPath = new Set([...http.pattern.value.matchAll(/\{([a-z0-9_]+)\}/g)].map(([, name]) => name));
  return method.input.fields.flatMap((field) => {
    const headerName = getOption(field, header);
    if (headerName !== "") return [field.name, headerName];
    const inQuery = http.body !== "*" && http.body !== field.name;
    const parameterName = getOption(field, parameter);
    if (inQuery && parameterName !== "") return [field.name, parameterName];
    return inQuery || inPath.has(field.name) ? [field.name] : [];
  });
}

/**
 * Whether the path of a field, such as "scope.env" or "ids[2]", begins with a parameter of the method. A call that only
 * reads or deletes has nothing but parameters, so its faults are always theirs, unknown parameters included.
 */
export function isParameter(method: DescMethod, field: string): boolean {
  const { http } = methodFacts(method);
  if (http?.body === "" && ["get", "delete"].includes(String(http.pattern.case))) return true;
  return parametersOf(method).has(/^[^.[]*/.exec(field)?.[0] ?? "");
}

/**
 * The failure of a request in the terms of its method: invalid_parameter as soon as a parameter is among the fields
 * that fail. A failure that names no field, which is text that the database cannot hold, gets the names of the fields
 * that have such text.
 */
export function requestFault(fault: Fault, method: DescMethod, message: Message | undefined): Fault {
  if (fault.reason !== Reason.VALIDATION_FAILED) return fault;
  const named =
    fault.extra.fields === undefined && message !== undefined ? withNulFields(fault, method.input, message) : fault;
  const fields = (named.extra.fields ?? []) as unknown as readonly { readonly field: string }[]; // as validationFailed wrote them
  if (methodFacts(method).parameterFault === 422 || !fields.some(({ field }) => isParameter(method, field)))
    return named;
  const { extra, headers, context, cause } = named;
  return new Fault(Reason.INVALID_PARAMETER, named.message, { extra, headers, context, cause });
}

function withNulFields(fault: Fault, desc: DescMessage, message: Message): Fault {
  const found = [...nulFields(desc, message, "")].map((field): FieldViolation => ({ field, message: fault.message }));
  return found.length === 0 ? fault : validationFailed(found, { cause: fault });
}

/** Paths of the texts of a message that have U+0000. */
function* nulFields(desc: DescMessage, message: Message, path: string): Generator<string> {
  if (isMessage(message, ValueSchema)) return yield* nulTexts(toJson(ValueSchema, message), path);
  const values = reflect(desc, message);
  for (const field of desc.fields) {
    const at = path === "" ? field.name : `${path}.${field.name}`;
    const raw = values.isSet(field) ? rawValue(message, field) : undefined;
    for (const [value, place] of itemsOf(raw, at)) {
      if (field.message !== undefined && isMessage(value, field.message)) yield* nulFields(field.message, value, place);
      else yield* nulTexts(value, place);
    }
  }
}

function rawValue(message: Message, { oneof, localName }: DescField): unknown {
  const members = message as unknown as Readonly<Record<string, unknown>>; // read by name, which only a cast can express
  return oneof === undefined ? members[localName] : (members[oneof.localName] as { readonly value?: unknown }).value;
}

function itemsOf(value: unknown, path: string): (readonly [value: unknown, path: string])[] {
  return Array.isArray(value) ? value.map((item, index) => [item, `${path}[${index}]`]) : [[value, path]];
}

/** The same of a text, or of JSON. */
function* nulTexts(value: unknown, path: string): Generator<string> {
  if (typeof value === "string" && value.includes("\0")) yield path;
  else if (Array.isArray(value)) for (const [item, place] of itemsOf(value, path)) yield* nulTexts(item, place);
  else if (isPlainObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (name.includes("\0")) yield path;
      else yield* nulTexts(member, `${path}.${name}`);
    }
  }
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
