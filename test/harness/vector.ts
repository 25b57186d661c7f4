// Test vectors: promises of the API as data, in the form of proto/policyguard/testing/v1/vector.proto. A given step may also
// be one that no call of the API can make: its method begins with "$", and scene.ts lists them.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fromJsonString } from "@bufbuild/protobuf";
import { type Vector, VectorSchema } from "../../gen/policyguard/testing/v1/vector_pb.ts";

/** A vector and where it stands. */
export interface NamedVector {
  /** Such as "project/create_201_minimal". */
  readonly name: string;
  readonly vector: Vector;
}

/** Every vector below a folder. A file that is no vector throws, with its name. */
export function readVectors(folder: string): NamedVector[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  return files.sort().map((file) => {
    try {
      const vector = fromJsonString(VectorSchema, readFileSync(join(folder, file), "utf8"));
      return { name: file.slice(0, -".json".length), vector };
    } catch (error) {
      throw new Error(`${file} is no vector: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  });
}
