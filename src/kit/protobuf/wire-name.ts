import { type DescEnum, getOption } from "@bufbuild/protobuf";
import { wire } from "../../../gen/policyguard/options/v1/options_pb.ts";

/** The documented spelling of an enum's value; empty for a value without one. */
export function wireName(schema: DescEnum, number: number): string {
  const value = schema.value[number];
  return value === undefined ? "" : getOption(value, wire);
}

/** The value of a documented spelling; undefined for one that is none. */
export function wireNumber<Value extends number>(schema: DescEnum, name: string): Value | undefined {
  // Descriptors know their values as numbers only.
  return schema.values.find((value) => getOption(value, wire) === name)?.number as Value | undefined;
}
