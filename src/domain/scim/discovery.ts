// What SCIM clients may learn before they begin (RFC 7644, section 4).

import type { JsonObject } from "@bufbuild/protobuf";
import { notFound } from "../../kit/fault/fault.ts";
import type { Attribute, ResourceShape, Schema } from "./attribute.ts";
import { listAnswer, maxCount } from "./page.ts";
import { enterpriseSchema, groupSchema, groupShape, userSchema, userShape } from "./schema.ts";

const core = "urn:ietf:params:scim:schemas:core:2.0";

/** Which parts of SCIM there are. */
export function serviceProviderConfig(baseUrl: string): JsonObject {
  return {
    schemas: [`${core}:ServiceProviderConfig`],
    documentationUri: "https://www.rfc-editor.org/rfc/rfc7644",
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: maxCount },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    pagination: { cursor: false, index: true, defaultPaginationMethod: "index", maxPageSize: maxCount },
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer token",
        description: "The organization's SCIM token in the Authorization header.",
        specUri: "https://www.rfc-editor.org/rfc/rfc6750",
        primary: true,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: `${baseUrl}/ServiceProviderConfig` },
  };
}

/** The types of resources. */
export function resourceTypes(baseUrl: string): JsonObject {
  const all = types.map((type) => resourceType(type, baseUrl));
  return listAnswer(all, all.length, 0);
}

/** The type of this name. */
export function resourceTypeNamed(name: string, baseUrl: string): JsonObject {
  const type = types.find(({ shape }) => shape.core.name === name);
  if (type === undefined) throw notFound("resource type");
  return resourceType(type, baseUrl);
}

/** The schemas. */
export function schemas(baseUrl: string): JsonObject {
  const all = [userSchema, enterpriseSchema, groupSchema].map((schema) => schemaResource(schema, baseUrl));
  return listAnswer(all, all.length, 0);
}

/** The schema of this URN. */
export function schemaOf(uri: string, baseUrl: string): JsonObject {
  const schema = [userSchema, enterpriseSchema, groupSchema].find((each) => each.uri === uri);
  if (schema === undefined) throw notFound("schema");
  return schemaResource(schema, baseUrl);
}

const types: readonly { readonly shape: ResourceShape; readonly endpoint: string }[] = [
  { shape: userShape, endpoint: "/Users" },
  { shape: groupShape, endpoint: "/Groups" },
];

function resourceType({ shape, endpoint }: (typeof types)[number], baseUrl: string): JsonObject {
  const { core: own, extensions } = shape;
  return {
    schemas: [`${core}:ResourceType`],
    id: own.name,
    name: own.name,
    description: own.description,
    endpoint,
    schema: own.uri,
    schemaExtensions: extensions.map(({ uri }) => ({ schema: uri, required: false })),
    meta: { resourceType: "ResourceType", location: `${baseUrl}/ResourceTypes/${own.name}` },
  };
}

function schemaResource({ uri, name, description, attributes }: Schema, baseUrl: string): JsonObject {
  return {
    schemas: [`${core}:Schema`],
    id: uri,
    name,
    description,
    attributes: attributes.map(attributeResource),
    meta: { resourceType: "Schema", location: `${baseUrl}/Schemas/${uri}` },
  };
}

function attributeResource(attribute: Attribute): JsonObject {
  const { name, type, description, isMulti, isRequired, isExact, mutability, uniqueness, referenceTypes, sub } =
    attribute;
  return {
    name,
    type,
    multiValued: isMulti === true,
    description,
    required: isRequired === true,
    ...(type === "complex" || type === "boolean" ? {} : { caseExact: isExact === true }),
    mutability: mutability ?? "readWrite",
    returned: mutability === "writeOnly" ? "never" : "default",
    uniqueness: uniqueness ?? "none",
    ...(referenceTypes === undefined ? {} : { referenceTypes: [...referenceTypes] }),
    ...(sub === undefined ? {} : { subAttributes: sub.map(attributeResource) }),
  };
}
