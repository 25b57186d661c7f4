// The names that enum values have in REST and in texts of the console, such as "block_rate".

import { type DescEnum, getOption } from "@bufbuild/protobuf";
import { wire } from "../../gen/policyguard/options/v1/options_pb.ts";

/** The names of an enum, both ways. */
export interface WireNames<Value extends number> {
  /** In the order of the enum, without the unspecified value. */
  readonly values: readonly Value[];
  /** The name of a value; empty for the unspecified one and for values of a newer server. */
  readonly nameOf: (value: Value | undefined) => string;
  /** The value of a name; undefined for one that is none. */
  readonly valueOf: (name: string | undefined) => Value | undefined;
}

/** Reads the names out of the descriptor. */
export function wireNames<Value extends number>(schema: DescEnum): WireNames<Value> {
  const named = schema.values
    .filter(({ number }) => number !== 0)
    // Descriptors know their values as numbers only.
    .map((value) => [value.number as Value, getOption(value, wire)] as const);
  const names = new Map<number, string>(named);
  const values = new Map(named.map(([value, name]) => [name, value]));
  return {
    values: named.map(([value]) => value),
    nameOf: (value) => (value === undefined ? "" : (names.get(value) ?? "")),
    valueOf: (name) => (name === undefined ? undefined : values.get(name)),
  };
}
