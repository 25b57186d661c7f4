// A document cut down to what one process serves.

import type { DescService, JsonValue } from "@bufbuild/protobuf";
import { type Document, operationKeys, type PathItem, type Schema } from "./model.ts";

/** The text of the document, with only the operations of these services and the schemas that they need. */
export function restrictDocument(text: string, services: readonly DescService[]): string {
  const document: Document = JSON.parse(text);
  const served = new Set(services.map((service) => service.typeName));
  const paths: Record<string, PathItem> = {};
  for (const [path, item] of Object.entries(document.paths)) {
    const operations = operationKeys.flatMap((key) => {
      const operation = item[key];
      const service = operation?.["x-policy-guard-method"].split("/")[0] ?? "";
      return operation !== undefined && served.has(service) ? [[key, operation] as const] : [];
    });
    if (operations.length > 0) paths[path] = Object.fromEntries(operations);
  }
  const used = new Set(Object.values(paths).flatMap((item) => operationKeys.flatMap((key) => item[key]?.tags ?? [])));
  const webhooks = Object.fromEntries(
    Object.entries(document.webhooks).filter(([, { post }]) => post.tags.some((tag) => used.has(tag))),
  );
  const restricted: Document = {
    ...document,
    servers: [{ url: "/", description: "This server" }],
    tags: document.tags.filter((tag) => used.has(tag.name)),
    "x-tagGroups": document["x-tagGroups"].flatMap(({ name, tags }) => {
      const kept = tags.filter((tag) => used.has(tag));
      return kept.length === 0 ? [] : [{ name, tags: kept }];
    }),
    paths,
    webhooks,
    components: { ...document.components, schemas: needed({ paths, webhooks }, document.components) },
  };
  return `${JSON.stringify(restricted, null, 2)}\n`;
}

/** Schemas that the paths, the webhooks and the shared responses lead to. */
function needed(requests: unknown, { schemas, responses }: Document["components"]): Record<string, Schema> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (names.has(name)) continue;
      names.add(name);
      visit(schemas[name] satisfies JsonValue | undefined);
    }
  };
  visit(requests);
  visit(responses);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => names.has(name)));
}
