import { type DescEnum, getOption } from "@bufbuild/protobuf";
import { wire } from "../../../gen/policyguard/options/v1/options_pb.ts";

/** The documented spelling of an enum's value; empty for a value without one. */
export function wireName(schema: DescEnum, number: number): string {
  const value = schema.value[number];
  return value === undefined ? "" : getOption(value, wire);
}
