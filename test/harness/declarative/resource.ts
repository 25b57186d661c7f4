// What a declarative client manages, found in the routes: things that a call creates and another one reads, changes or
// deletes by their path.

import type { DescField } from "@bufbuild/protobuf";
import { type Route, routesOf } from "../../../gateway/route/route.ts";
import { controlServices } from "../../../src/control-services.ts";

/** A kind of thing, and the calls about it. */
export interface Resource {
  /** Its path without the organization, such as "/policies/{policy_id}". */
  readonly name: string;
  /** POST on the collection, or PUT on the thing itself. */
  readonly create: Route;
  readonly read?: Route;
  readonly list?: Route;
  readonly update?: Route;
  readonly remove?: Route;
  /** The field of the path that is the thing's id; undefined where there is one only. */
  readonly id?: DescField;
}

const organization = "/v1/orgs/{org_id}";
/** Contracts of others, which their own tests hold. */
const foreign = `${organization}/scim/v2/`;

/**
 * Every resource of an organization. What can be neither changed nor deleted, such as a bundle, is a record of what
 * happened; and a call that adds many things at once answers for none of them.
 */
export function resources(): Resource[] {
  return found().filter(
    ({ create, update, remove, id }) => (update !== undefined || remove !== undefined) && answersWith(create, id),
  );
}

function found(): Resource[] {
  const routes = routesOf(controlServices).filter(({ path }) => path.startsWith(organization));
  const own = routes.filter(({ path }) => !path.startsWith(foreign));
  const at = (verb: string, path: string) => own.find((route) => route.verb === verb && route.path === path);
  return own.flatMap((create): Resource[] => {
    if (create.verb === "PUT") {
      const { path } = create;
      const read = at("GET", path);
      // With a POST on the collection it is what changes the thing.
      if (read === undefined || at("POST", collectionOf(path)) !== undefined) return [];
      const id = idOf(create);
      const list = id === undefined ? undefined : at("GET", collectionOf(path));
      return [{ name: nameOf(path), create, read, list, update: create, remove: at("DELETE", path), id }];
    }
    const item = create.verb === "POST" && create.facts.successStatus === 201 ? itemOf(own, create) : undefined;
    if (item === undefined) return [];
    const { path, pathFields } = item;
    return [
      {
        name: create.path.endsWith(collectionOf(path)) ? nameOf(path) : `${nameOf(path)} by ${nameOf(create.path)}`,
        create,
        read: at("GET", path),
        list: at("GET", collectionOf(path)),
        update: at("PUT", path) ?? at("PATCH", path),
        remove: at("DELETE", path),
        id: pathFields.at(-1),
      },
    ];
  });
}

/** A route of what the call creates: below its path, or beside it where nothing is created on the collection. */
function itemOf(routes: readonly Route[], create: Route): Route | undefined {
  const below = (path: string) =>
    routes.find((route) => collectionOf(route.path) === path && idOf(route) !== undefined && isOfItem(route));
  const beside = collectionOf(create.path);
  const isAction = routes.some(({ verb, path }) => verb === "POST" && path === beside);
  return below(create.path) ?? (isAction || !isList(routes, beside) ? undefined : below(beside));
}

/** Whether the answer has the id, under the name that paths give it or a shorter one: env_name is the name. */
function answersWith({ method, responseBody }: Route, id: DescField | undefined): boolean {
  const { fields } = responseBody?.message ?? method.output;
  return id === undefined || fields.some(({ name }) => namesOf(id.name).includes(name));
}

/** What a field of a path may be called in the thing itself. */
export function namesOf(id: string): readonly string[] {
  return [id, id.slice(id.lastIndexOf("_") + 1)];
}

function isOfItem({ verb }: Route): boolean {
  return verb !== "POST";
}

function isList(routes: readonly Route[], path: string): boolean {
  return routes.some((route) => route.verb === "GET" && route.path === path);
}

/** The last field of the path, when the path ends with it. */
function idOf({ path, pathFields }: Route): DescField | undefined {
  return path.endsWith("}") ? pathFields.at(-1) : undefined;
}

function collectionOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function nameOf(path: string): string {
  return path.slice(organization.length);
}
