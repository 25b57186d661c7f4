// The OpenAPI document of a set of services.

import { type DescEnum, type DescMessage, type DescService, getOption } from "@bufbuild/protobuf";
import { Task, TaskSchema, task, wire } from "../../gen/policyguard/options/v1/options_pb.ts";
import { type Route, routesOf } from "../route/route.ts";
import type { Comments } from "./comment.ts";
import { describeEvent, eventsOf, type PublishedEvent, publishEvent } from "./event.ts";
import { failureResponses, failureSchemas } from "./failure.ts";
import { type Components, type Document, type Operation, type PathItem, refTo, type Server } from "./model.ts";
import { describeOperation, tagOf } from "./operation.ts";
import type { RecordedExamples } from "./recorded.ts";
import { createSampler } from "./sample.ts";
import { SchemaBook } from "./schema.ts";

/** What a document is made of. */
export interface DocumentOptions {
  readonly services: readonly DescService[];
  readonly comments: Comments;
  /** The catalogue of reasons, with its comments. */
  readonly reason: DescEnum;
  /** Names of the events that webhooks are told of. */
  readonly eventNames: DescEnum;
  /** Messages whose examples serve for fields of the same name. */
  readonly messages: readonly DescMessage[];
  /** Calls that were really made and answered. */
  readonly examples: RecordedExamples;
  readonly version: string;
  readonly servers: readonly Server[];
  /** Other base addresses of a service; undefined: the document's. */
  readonly serversOf: (service: DescService) => readonly Server[] | undefined;
}

/** The document, and the events of its webhooks, each complete in itself. */
export interface Described {
  readonly document: Document;
  readonly events: readonly PublishedEvent[];
}

/** Makes the document. Throws when two operations share an id, or an event has no message of its data. */
export function createDocument(options: DocumentOptions): Described {
  const { comments, examples, reason, servers, version } = options;
  const routes = routesOf(options.services);
  const events = eventsOf(options.eventNames, options.messages);
  const book = new SchemaBook(
    routes,
    comments,
    events.map(({ data }) => data),
  );
  const sources = { book, sampler: createSampler(book, options.messages), comments, examples };
  const described = routes.map((route) => ({ route, operation: describeOperation(route, sources) }));
  checkIds(described.map(({ operation }) => operation));
  const webhooks = Object.fromEntries(events.map((event) => [event.name, describeEvent(event, sources)]));
  const schemas = { ...book.all(), ...failureSchemas(reason, comments) };
  const responses = usedIn(described, failureResponses(reason, comments));
  const document: Document = {
    openapi: "3.1.0",
    info: { title: "Policy Guard", version, description: introduction, contact, license },
    servers,
    security: [{ bearerAuth: [] }],
    tags: tags(routes, comments),
    "x-tagGroups": tagGroups(routes),
    paths: paths(described, options.serversOf),
    webhooks,
    components: { schemas, responses, headers, securitySchemes },
  };
  return { document, events: events.map((event) => publishEvent(event, schemas, sources)) };
}

const contact = { name: "The operator of this installation" };
const license = { name: "All rights reserved", identifier: "LicenseRef-AllRightsReserved" };

const introduction = [
  "Guard policies for AI applications: written and tested in one place, shipped as signed bundles, enforced inside your own boundary.",
  "",
  "Names are in snake_case; times are RFC 3339 in UTC with whole seconds; fields without a value are `null` and never missing.",
  "Bodies are `application/json` in UTF-8. Unknown fields of a body are refused, unknown query parameters are ignored. Keys that appear twice in an object and nesting deeper than 40 levels count as malformed.",
  'Every failure has the body `{"detail": …}`, and every answer an `X-Request-Id`. Lists take `limit` (1 to 200) and `offset`.',
].join("\n");

const headers: Components["headers"] = {
  "X-Request-Id": {
    description:
      "Id of the call: the caller's own X-Request-Id when it is well-formed. The server's log carries it too.",
    schema: { type: "string" },
  },
};

const securitySchemes: Components["securitySchemes"] = {
  bearerAuth: {
    type: "http",
    scheme: "bearer",
    description: "A runtime, ci or admin token, or a member's session: `Authorization: Bearer <token>`.",
  },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "The same tokens, on the operations that list this scheme.",
  },
};

function tags(routes: readonly Route[], comments: Comments): Document["tags"] {
  const descriptions = new Map(routes.map((route) => [tagOf(route), comments.of(route.method.parent)]));
  return [...descriptions].map(([name, description]) => ({ name, description }));
}

/** The tags of each task, in the order of the tasks. Throws for a service without one. */
function tagGroups(routes: readonly Route[]): Document["x-tagGroups"] {
  const groups = TaskSchema.values.map((value) => ({ value, tags: new Set<string>() }));
  for (const route of routes) {
    const { parent } = route.method;
    const group = groups.find(({ value }) => value.number === getOption(parent, task));
    if (group === undefined || group.value.number === Task.UNSPECIFIED) {
      throw new Error(`${parent.typeName} has no (task) option; say what readers want who look for it`);
    }
    group.tags.add(tagOf(route));
  }
  return groups
    .filter(({ tags }) => tags.size > 0)
    .map(({ value, tags }) => ({ name: getOption(value, wire), tags: [...tags] }));
}

interface DescribedRoute {
  readonly route: Route;
  readonly operation: Operation;
}

function paths(described: readonly DescribedRoute[], serversOf: DocumentOptions["serversOf"]): Document["paths"] {
  const items: Record<string, PathItem> = {};
  for (const { route, operation } of described) {
    const own = serversOf(route.method.parent);
    const servers = own === undefined ? {} : { servers: own };
    items[route.path] = { ...servers, ...items[route.path], [route.verb.toLowerCase()]: operation };
  }
  return items;
}

/** Those responses that an operation refers to. */
function usedIn(described: readonly DescribedRoute[], responses: Components["responses"]): Components["responses"] {
  const text = JSON.stringify(described.map(({ operation }) => operation.responses));
  const used = ([name]: [string, unknown]) => text.includes(`"${refTo("responses", name).$ref}"`);
  return Object.fromEntries(Object.entries(responses).filter(used));
}

function checkIds(operations: readonly Operation[]): void {
  const ids = new Set<string>();
  for (const { operationId } of operations) {
    if (ids.has(operationId)) throw new Error(`two operations are called ${operationId}`);
    ids.add(operationId);
  }
}
