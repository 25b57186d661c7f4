// Test vectors: promises of the API as data, in the forms of proto/policyguard/testing/v1. A given step of a vector of
// the control plane may also be one that no call of the API can make: its method begins with "$", and scene.ts lists
// them.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DescMessage, fromJsonString, type MessageShape } from "@bufbuild/protobuf";
import { type Vector, VectorSchema } from "../../../gen/policyguard/testing/v1/vector_pb.ts";

/** A vector and where it stands. */
export interface NamedVector<T = Vector> {
  /** Such as "project/project/create_201_minimal". */
  readonly name: string;
  readonly vector: T;
}

/** Every vector of the control plane below a folder. A file that is no vector throws, with its name. */
export function readVectors(folder: string): NamedVector[] {
  return readVectorsOf(VectorSchema, folder);
}

/** Every vector of this form below a folder, by name. A file that is none throws, with its name. */
export function readVectorsOf<Desc extends DescMessage>(
  schema: Desc,
  folder: string,
): NamedVector<MessageShape<Desc>>[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  return files.sort().map((file) => {
    try {
      const vector = fromJsonString(schema, readFileSync(join(folder, file), "utf8"));
      return { name: file.slice(0, -".json".length), vector };
    } catch (error) {
      throw new Error(`${file} is no vector: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  });
}
