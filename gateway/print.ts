// Prints the REST interface: gen/rest/routes.txt, gen/rest/openapi.json and gen/rest/events.json, from a descriptor set
// with source info. Print and server agree, since both come from the same descriptors by the same functions.

import {
  createFileRegistry,
  type DescEnum,
  type DescFile,
  type DescService,
  type FileRegistry,
  fromBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { ReasonSchema } from "../gen/policyguard/common/v1/reason_pb.ts";
import { EventNameSchema } from "../gen/policyguard/control/v1/event_pb.ts";
import { CredentialKindSchema, RoleSchema } from "../gen/policyguard/options/v1/options_pb.ts";
import { wireNames } from "./json/enum-names.ts";
import { readComments } from "./openapi/comment.ts";
import { createDocument } from "./openapi/document.ts";
import type { Server } from "./openapi/model.ts";
import type { RecordedExamples } from "./openapi/recorded.ts";
import { type Route, routesOf } from "./route/route.ts";

/** What is printed. */
export interface Print {
  /** One line a route, sorted by path. */
  readonly routes: string;
  /** The OpenAPI document. */
  readonly openapi: string;
  /** The events that webhooks may subscribe to, each with its schema and an example. */
  readonly events: string;
}

/** Facts that descriptors do not have. */
export interface PrintOptions {
  /** Calls that were really made and answered. */
  readonly examples: RecordedExamples;
  readonly version: string;
  readonly servers: readonly Server[];
  /** Other base addresses of a service; undefined: `servers`. */
  readonly serversOf: (service: DescService) => readonly Server[] | undefined;
}

/** Prints the services of a serialized FileDescriptorSet that has source info. The same input gives the same bytes. */
export function print(descriptorSet: Uint8Array, options: PrintOptions): Print {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet));
  const files = [...registry.files].sort((a, b) => (a.name < b.name ? -1 : 1));
  const services = files.flatMap((file) => file.services).filter((service) => hasRoutes(service));
  const reason = enumOf(registry, ReasonSchema);
  const eventNames = enumOf(registry, EventNameSchema);
  const messages = files.flatMap((file: DescFile) => file.messages);
  const comments = readComments(files);
  const { document, events } = createDocument({ ...options, services, comments, reason, eventNames, messages });
  return { routes: printRoutes(routesOf(services)), openapi: printJson(document), events: printJson(events) };
}

function enumOf(registry: FileRegistry, { typeName }: DescEnum): DescEnum {
  const found = registry.getEnum(typeName);
  if (found === undefined) throw new Error(`the descriptor set lacks ${typeName}`);
  return found;
}

function printJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Services of other makers may be compiled along; ours say who may call. */
function hasRoutes(service: DescService): boolean {
  return service.typeName.startsWith("policyguard.") && routesOf([service]).length > 0;
}

function printRoutes(routes: readonly Route[]): string {
  const rows = routes
    .toSorted((a, b) => (a.path === b.path ? (a.verb < b.verb ? -1 : 1) : a.path < b.path ? -1 : 1))
    .map(routeColumns);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

function routeColumns({ verb, path, method, facts }: Route): string[] {
  const { access, audit, emits, entitlement } = facts;
  const kinds = wireNames(CredentialKindSchema).nameOf;
  const role = wireNames(RoleSchema).nameOf.get(access.leastRole) ?? "";
  const callers = access.kinds.map((kind) => (kinds.get(kind) === "member" ? `member:${role}` : kinds.get(kind)));
  const scope = [access.orgField, access.projectField, access.envField].filter((name) => name !== "");
  return [
    verb,
    path,
    `${method.parent.name}/${method.name}`,
    String(facts.successStatus),
    access.public ? "public" : callers.join(",") + (access.apiKeyHeader ? " x-api-key" : ""),
    [
      scope.length === 0 ? "" : `scope=${scope.join(",")}`,
      access.orgFromCredential ? "org-from-credential" : "",
      entitlement.openWhenBillingBlocked ? "open-when-billing-blocked" : "",
      entitlement.plans.length === 0 ? "" : `plans=${entitlement.plans.join(",")}`,
      facts.mayLag ? "may-lag" : "",
      audit === "" ? "" : `audit=${audit}`,
      emits.length === 0 ? "" : `emits=${emits.join(",")}`,
    ]
      .filter((text) => text !== "")
      .join(" "),
  ];
}
