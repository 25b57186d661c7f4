// The documented spellings: enum values, and the fields that travel in HTTP headers or as a status.

import { type DescEnum, type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
import {
  cut_anywhere as cutAnywhere,
  header,
  parameter,
  status_when_true,
  wire,
} from "../../gen/policyguard/options/v1/options_pb.ts";

/** The spellings of an enum in JSON. */
export interface WireNames {
  /** Spelling by number; null for the value that stands for "unset". */
  readonly nameOf: ReadonlyMap<number, string | null>;
  readonly numberOf: ReadonlyMap<string, number>;
  /** All spellings, in the order of the definition. */
  readonly names: readonly string[];
}

const known = new WeakMap<DescEnum, WireNames>();

/** The spellings of an enum: its (wire) options, the Protobuf name where there is none, null for an unnamed zero. */
export function wireNames(desc: DescEnum): WireNames {
  const cached = known.get(desc);
  if (cached !== undefined) return cached;
  const nameOf = new Map<number, string | null>();
  const numberOf = new Map<string, number>();
  for (const value of desc.values) {
    const spelling = getOption(value, wire);
    const name = spelling !== "" ? spelling : value.number === 0 ? null : value.name;
    if (!nameOf.has(value.number)) nameOf.set(value.number, name);
    if (name !== null) numberOf.set(name, value.number);
  }
  const names: WireNames = { nameOf, numberOf, names: [...numberOf.keys()] };
  known.set(desc, names);
  return names;
}

/** The HTTP header that carries the field, or "" when JSON does. */
export function headerName(field: DescField): string {
  return getOption(field, header);
}

/** The name by which a query carries the field. */
export function parameterName(field: DescField): string {
  return getOption(field, parameter) || field.name;
}

/** The status of the answer when this bool field is true, or 0. */
export function statusWhenTrue(field: DescField): number {
  return getOption(field, status_when_true);
}

/**
 * Names of the fields of a request that are segments of a text, which may begin or end with half of a surrogate pair.
 */
export function cutFields({ fields }: DescMessage): string[] {
  return fields.filter((field) => getOption(field, cutAnywhere)).map(({ name }) => name);
}
