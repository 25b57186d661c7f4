// What a declarative client, such as a Terraform provider, relies on: it writes what its file says, reads it back, and
// when both say the same, a second run changes nothing.

import { isDeepStrictEqual } from "node:util";
import { getOption, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { headerName } from "../../../gateway/json/enum-names.ts";
import type { Route } from "../../../gateway/route/route.ts";
import { sensitive } from "../../../gen/policyguard/options/v1/options_pb.ts";
import type { Vector } from "../../../gen/policyguard/testing/v1/vector_pb.ts";
import { callName, type TestAnswer } from "../vector/dialect.ts";
import { filled } from "../vector/match.ts";
import { perform, type Scene, setScene } from "../vector/scene.ts";
import type { Stage } from "../vector/scene-step.ts";
import { tokenOf } from "../vector/world.ts";
import { namesOf, type Resource } from "./resource.ts";

/** Plays the vector, which creates the thing, and says what of the rules does not hold, as "<rule>: <what>". */
export async function faultsOf(stage: Stage, resource: Resource, vector: Vector): Promise<string[]> {
  const { call } = vector;
  if (call === undefined) throw new Error("a vector has a call");
  const scene = await setScene(stage, vector);
  const created = await perform(stage, "rest", call, scene);
  if (created.status >= 300) throw new Error(`it was not created: ${JSON.stringify(created.body)}`);
  const request = filled((call.request ?? {}) as JsonObject, scene.variables); // a request is an object
  return new Thing(stage, resource, scene, { request, created: objectOf(created.body) }).faults();
}

interface Made {
  readonly request: JsonObject;
  readonly created: JsonObject;
}

/** One thing of a resource, as a client that made it knows it. */
class Thing {
  readonly #stage: Stage;
  readonly #resource: Resource;
  readonly #scene: Scene;
  readonly #made: Made;
  /** What names it in paths. */
  readonly #address: JsonObject;

  constructor(stage: Stage, resource: Resource, scene: Scene, made: Made) {
    this.#stage = stage;
    this.#resource = resource;
    this.#scene = scene;
    this.#made = made;
    const { create, id } = resource;
    const address = Object.fromEntries(create.pathFields.map(({ name }) => [name, made.request[name] ?? null]));
    this.#address = { ...address, ...(id === undefined ? {} : { [id.name]: this.#idIn(made.created, id.name) }) };
  }

  async faults(): Promise<string[]> {
    const read = await this.#read();
    if (read === undefined) return ["read: it is not there after it was created"];
    return [
      ...this.#notEchoed(read),
      ...this.#otherThanCreated(read),
      ...(await this.#ofList()),
      ...(await this.#ofUnknownFields()),
      ...(await this.#ofSecondWrite(read)),
      ...(await this.#ofRemoval()),
    ];
  }

  /** Create, then read: every input as it was given. */
  #notEchoed(read: JsonObject): string[] {
    return Object.entries(inputOf(this.#resource.create, this.#made.request)).flatMap(([name, given]) => {
      if (!(name in read)) return [`echo: ${name} cannot be read`];
      // A document that is written as a text is read as one, too.
      if (typeof given === "string" && read.source === given) return [];
      return isWithin(given, read[name]) ? [] : [`echo: ${name} is ${JSON.stringify(read[name])}`];
    });
  }

  /** The answer of the write is what is read afterwards, but for what is shown once. */
  #otherThanCreated(read: JsonObject): string[] {
    const secrets = secretsOf(this.#resource.create);
    return Object.entries(this.#made.created).flatMap(([name, value]) => {
      if (!(name in read) && secrets.has(name)) return [];
      if (!(name in read)) return [`read: ${name} was only in the answer of the write`];
      return isDeepStrictEqual(read[name], value) ? [] : [`read: ${name} was ${JSON.stringify(value)}`];
    });
  }

  async #ofList(): Promise<string[]> {
    const { list, id } = this.#resource;
    if (list === undefined || id === undefined) return [];
    const [first, second] = [await this.#listed(), await this.#listed()];
    const ids = (items: readonly JsonObject[]) => items.map((item) => this.#idIn(item, id.name));
    return [
      ...(ids(first).includes(this.#address[id.name] ?? null) ? [] : ["list: it is not there"]),
      ...(isDeepStrictEqual(ids(first), ids(second)) ? [] : ["list: the order changed"]),
    ];
  }

  /** A slip of the pen is refused, and never taken for a field that is absent. */
  async #ofUnknownFields(): Promise<string[]> {
    const { create, update } = this.#resource;
    const routes = update === undefined || update === create ? [create] : [create, update];
    const found = await Promise.all(
      routes.map(async (route) => {
        const body = route === create ? this.#made.request : this.#sameFor(route);
        const answer = await this.#call(route, withSlip(route, { ...body, ...this.#pathOf(route) }));
        const isRefused = answer.status === 422 && answer.fields.some((field) => field.endsWith("no_such_field"));
        return isRefused ? [] : [`unknown: ${route.method.name} answers ${answer.status}`];
      }),
    );
    return found.flat();
  }

  /** The same write again changes nothing, makes no version, and tells nobody. */
  async #ofSecondWrite(read: JsonObject): Promise<string[]> {
    const { update } = this.#resource;
    if (update === undefined) return [];
    const { orgId } = this.#scene.world;
    const before = await this.#stage.plane.recorded(orgId);
    // Answers have whole seconds: within the same one nobody could see a time that moved.
    this.#stage.clock.pass(2_000);
    const answer = await this.#call(update, { ...this.#sameFor(update), ...this.#pathOf(update) });
    if (answer.status >= 300) return [`again: ${update.method.name} answers ${answer.status} ${answer.error}`];
    const [after, again] = [await this.#stage.plane.recorded(orgId), await this.#read()];
    const changed = Object.keys(read).filter((name) => !isDeepStrictEqual(read[name], again?.[name]));
    return [
      ...changed.map((name) => `again: ${name} changed from ${JSON.stringify(read[name])}`),
      ...after.events.slice(before.events.length).map((event) => `again: it raised ${event}`),
    ];
  }

  async #ofRemoval(): Promise<string[]> {
    const { remove, read } = this.#resource;
    if (remove === undefined) return [];
    const request = this.#pathOf(remove);
    const removed = await this.#call(remove, request);
    if (removed.status !== 204) return [`delete: it answers ${removed.status} ${removed.error}`];
    const later = read === undefined ? undefined : await this.#call(read, this.#pathOf(read));
    const second = await this.#call(remove, request);
    return [
      ...(later === undefined || later.status === 404 ? [] : [`absent: reading it answers ${later.status}`]),
      ...(later !== undefined || (await this.#read()) === undefined ? [] : ["absent: it is still listed"]),
      ...(second.status === 404 ? [] : [`absent: deleting it again answers ${second.status}`]),
    ];
  }

  /** By its own path, or from the list where it has none. */
  async #read(): Promise<JsonObject | undefined> {
    const { read, id } = this.#resource;
    if (read !== undefined) {
      const answer = await this.#call(read, this.#pathOf(read));
      return answer.status === 200 ? objectOf(answer.body) : undefined;
    }
    const listed = await this.#listed();
    return listed.find((item) => id !== undefined && this.#idIn(item, id.name) === this.#address[id.name]);
  }

  async #listed(): Promise<JsonObject[]> {
    const { list } = this.#resource;
    if (list === undefined) return [];
    const { body } = await this.#call(list, { ...this.#pathOf(list), limit: 200 });
    const items = Array.isArray(body) ? body : Object.values(objectOf(body)).find(Array.isArray);
    return (items ?? []).map(objectOf);
  }

  /** What the write would be with the same content: of the fields that were given those that it takes. */
  #sameFor(route: Route): JsonObject {
    const taken = new Set(route.method.input.fields.map(({ name }) => name));
    return Object.fromEntries(
      Object.entries(this.#made.request).filter(([name]) => taken.has(name) && !isPrecondition(name)),
    );
  }

  #pathOf({ pathFields }: Route): JsonObject {
    return Object.fromEntries(pathFields.map(({ name }) => [name, this.#address[name] ?? null]));
  }

  #idIn(item: JsonObject, name: string): JsonValue {
    return namesOf(name).flatMap((one) => item[one] ?? [])[0] ?? null;
  }

  async #call(route: Route, request: JsonObject): Promise<TestAnswer> {
    const token = await tokenOf(this.#scene.world, "admin");
    return this.#stage.plane.caller.call("rest", { method: callName(route.method), request, token });
  }
}

/** The body's fields that say how the thing shall be. Secrets are given and need not be read. */
function inputOf({ method, body, pathFields }: Route, request: JsonObject): JsonObject {
  const part = typeof body === "string" ? undefined : body;
  const fields = new Map((part?.message ?? method.input).fields.map((field) => [field.name, field]));
  const inPath = new Set(pathFields.map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(part === undefined ? request : objectOf(request[part.name] ?? null)).filter(([name, given]) => {
      const field = fields.get(name);
      if (field === undefined || inPath.has(name) || isPrecondition(name) || given === null) return false;
      return headerName(field) === "" && !getOption(field, sensitive);
    }),
  );
}

/** Such as "expected_version": what the caller believes, and not how the thing shall be. */
function isPrecondition(name: string): boolean {
  return name.startsWith("expected_");
}

/** The request with a field that there is not in its body. */
function withSlip({ body }: Route, request: JsonObject): JsonObject {
  const slip = { no_such_field: 1 };
  if (typeof body === "string") return { ...request, ...slip };
  return { ...request, [body.name]: { ...objectOf(request[body.name] ?? null), ...slip } };
}

function secretsOf({ method, responseBody }: Route): ReadonlySet<string> {
  const { fields } = responseBody?.message ?? method.output;
  return new Set(fields.filter((field) => getOption(field, sensitive)).map(({ name }) => name));
}

/** Whether what was given is what is read: members that were not given have their defaults. */
function isWithin(given: JsonValue, read: JsonValue | undefined): boolean {
  if (Array.isArray(given)) {
    return Array.isArray(read) && read.length === given.length && given.every((item, at) => isWithin(item, read[at]));
  }
  if (typeof given !== "object" || given === null) return given === read;
  if (typeof read !== "object" || read === null || Array.isArray(read)) return false;
  return Object.entries(given).every(([name, value]) => isWithin(value, read[name]));
}

function objectOf(body: JsonValue): JsonObject {
  return typeof body === "object" && body !== null && !Array.isArray(body) ? body : {};
}
