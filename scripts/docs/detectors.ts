import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { catalog } from "../../runtime/engine/detectors/catalog.ts";
import type { DetectorDefinition } from "../../runtime/engine/detectors/detector.ts";
import { code, table } from "./table.ts";

/** The catalog of detectors: for each what it finds, and its parameters. */
export function detectorTable(): string {
  return catalog.map(section).join("\n\n");
}

function section(definition: DetectorDefinition): string {
  const { id, description, entities, languages, categories, defaultThreshold } = definition;
  const facts = [
    `- categories: ${categories.map(code).join(", ")}`,
    ...(entities.length === 0 ? [] : [`- entities: ${entities.map(code).join(", ")}`]),
    `- languages: ${languages.includes("*") ? "all" : languages.join(", ")}`,
    `- default threshold: ${defaultThreshold}${levels(definition)}`,
  ];
  return [`### \`${id}\``, description, facts.join("\n"), parameters(definition)].join("\n\n");
}

function parameters({ parameters: schema }: DetectorDefinition): string {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const rows = Object.entries(objectOf(schema.properties)).map(([name, value]) => {
    const own = objectOf(value);
    const standard = required.includes(name) ? "required" : own.default === undefined ? "" : plain(own.default);
    return [code(name), takes(own), standard, String(own.description ?? "")];
  });
  return rows.length === 0 ? "It has no parameters." : table(["parameter", "takes", "default", "meaning"], rows);
}

function takes(schema: JsonObject): string {
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => code(String(value))).join(", ");
  if (schema.type !== "array") return String(schema.type ?? "");
  const items = objectOf(schema.items);
  return Array.isArray(items.enum) ? "a list of entities" : "a list";
}

function plain(value: JsonValue): string {
  return Array.isArray(value) ? value.map((item) => code(String(item))).join(", ") : code(String(value));
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function levels({ sensitivities }: DetectorDefinition): string {
  if (sensitivities === undefined) return "";
  const { strict, permissive } = sensitivities;
  return `; \`strict\` ${strict}, \`permissive\` ${permissive}`;
}
