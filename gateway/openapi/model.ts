// The part of OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.0) that the document uses.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** A JSON Schema, draft 2020-12. */
export type Schema = JsonObject;

/** The document. */
export interface Document {
  readonly openapi: "3.1.0";
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly contact: { readonly name: string };
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly Server[];
  readonly security: readonly SecurityRequirement[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** The tags by what readers want to do; Redoc's extension, which other tools read too. */
  readonly "x-tagGroups": readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  /** Requests that the server sends, by the name of the event that they tell of. */
  readonly webhooks: Readonly<Record<string, WebhookItem>>;
  readonly components: Components;
}

/** Schemas and responses by name. */
export interface Components {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly responses: Readonly<Record<string, Response>>;
  readonly headers: Readonly<Record<string, Header>>;
  readonly securitySchemes: Readonly<Record<string, JsonObject>>;
}

/** A base address. */
export interface Server {
  readonly url: string;
  readonly description: string;
  readonly variables?: Readonly<Record<string, { readonly default: string; readonly description: string }>>;
}

/** Names of security schemes that together are enough. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

/** The operations of one path, by verb in lower case. */
export interface PathItem {
  readonly servers?: readonly Server[];
  readonly get?: Operation;
  readonly put?: Operation;
  readonly post?: Operation;
  readonly delete?: Operation;
  readonly patch?: Operation;
}

/** The keys of a path item that hold operations. */
export const operationKeys = ["get", "put", "post", "delete", "patch"] as const;

/** One operation. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly SecurityRequirement[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response | Reference>>;
  /** The method behind it, as its RPC path names it. */
  readonly "x-policy-guard-method": string;
  readonly "x-policy-guard-access": JsonObject;
  readonly "x-policy-guard-audit"?: string;
  readonly "x-policy-guard-emits"?: readonly string[];
}

/** A request that the server sends. */
export interface WebhookItem {
  readonly post: Pick<
    Operation,
    "operationId" | "tags" | "summary" | "description" | "security" | "parameters" | "requestBody" | "responses"
  >;
}

/** A parameter of a path, query or header. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: JsonValue;
}

/** Bodies by media type. */
export type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: JsonValue }>>;

/** A documented answer. */
export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Content;
}

/** A documented response header. */
export interface Header {
  readonly description: string;
  readonly schema: Schema;
}

/** A reference to a component. */
export interface Reference {
  readonly $ref: string;
}

/** A reference to a component. */
export function refTo(kind: keyof Components, name: string): Reference {
  return { $ref: `#/components/${kind}/${name}` };
}
