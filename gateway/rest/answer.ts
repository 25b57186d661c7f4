// The answer of a method as an HTTP answer.

import type { OutgoingHttpHeaders } from "node:http";
import type { DescField, DescMessage, JsonValue, Message } from "@bufbuild/protobuf";
import { isMessage } from "@bufbuild/protobuf";
import { HttpBodySchema } from "../../gen/google/api/httpbody_pb.ts";
import { forwardHeaders } from "../http/header.ts";
import { type Answer, jsonTextAnswer } from "../http/http.ts";
import { createFieldEncoder, createGetter, messageEncoder } from "../json/encode.ts";
import { headerName, statusWhenTrue } from "../json/enum-names.ts";
import { hasSteps, isLarge, jsonChunks, jsonFieldChunks, restJson } from "../large/message.ts";
import type { Steps } from "../large/slices.ts";
import { isRaw, type Route } from "../route/route.ts";

/** Makes the HTTP answer of a response message and its headers. `body` is given when it was encoded before. */
export type Answerer = (message: Message, headers: Headers, body?: readonly Uint8Array[]) => Answer;

/** Encodes the body of a large message, in steps; undefined for other messages, which are encoded at once. */
export type LargeBodyWriter = (message: Message) => Steps<Uint8Array[]> | undefined;

/** The answerer of a unary route. Throws when the response has no HTTP form. */
export function createAnswerer(route: Route): Answerer {
  if (isRaw(route.method.output)) return createRawAnswerer(route.facts.successStatus);
  const write = createBodyWriter(route);
  const writeHeaders = createHeaderWriter(route.method.output);
  const specialStatus = createStatusReader(route.method.output);
  const { successStatus, answerMediaTypes } = route.facts;
  const contentType = `${answerMediaTypes[0] ?? "application/json"}; charset=utf-8`;
  return (message, rpcHeaders, body) => {
    const headers = { ...forwardHeaders(rpcHeaders), ...writeHeaders(message) };
    const status = specialStatus(message);
    if (status !== undefined || successStatus === 204) {
      return { status: status ?? successStatus, headers, body: undefined };
    }
    return jsonTextAnswer(successStatus, body ?? JSON.stringify(write(message)), {
      "content-type": contentType,
      ...headers,
    });
  };
}

/** The writer of large bodies of a unary route. */
export function createLargeBodyWriter({ method: { output }, responseBody: field }: Route): LargeBodyWriter {
  if (isRaw(output) || (field !== undefined && !hasSteps(field))) return () => undefined;
  const get = field && createGetter(field);
  return (message) => {
    if (!isLarge(get === undefined ? message : get(message))) return undefined;
    return field === undefined ? jsonChunks(restJson, output, message) : jsonFieldChunks(restJson, field, message);
  };
}

function createRawAnswerer(status: number): Answerer {
  return (message, rpcHeaders) => {
    if (!isMessage(message, HttpBodySchema)) throw new Error(`${message.$typeName} came where bytes were declared`);
    const headers = { ...forwardHeaders(rpcHeaders), "content-type": message.contentType };
    return { status, headers, body: message.data };
  };
}

function createBodyWriter({ method, responseBody }: Route): (message: Message) => JsonValue {
  return responseBody === undefined ? messageEncoder(method.output) : createFieldEncoder(responseBody);
}

function createHeaderWriter(desc: DescMessage): (message: Message) => OutgoingHttpHeaders {
  const fields = desc.fields.filter((field) => headerName(field) !== "").map(headerField);
  return (message) => {
    const headers: OutgoingHttpHeaders = {};
    for (const { name, write } of fields) {
      const value = write(message);
      if (value !== null && value !== "") headers[name] = String(value);
    }
    return headers;
  };
}

function headerField(field: DescField): { readonly name: string; readonly write: (message: Message) => JsonValue } {
  if (field.fieldKind !== "scalar" && field.fieldKind !== "enum") {
    throw new Error(`${field.parent.typeName}.${field.name} cannot travel in a header`);
  }
  return { name: headerName(field).toLowerCase(), write: createFieldEncoder(field) };
}

/** The status that a true field of the response stands for; undefined when none is true. */
function createStatusReader(desc: DescMessage): (message: Message) => number | undefined {
  const fields = desc.fields
    .filter((field) => statusWhenTrue(field) !== 0)
    .map((field) => ({ status: statusWhenTrue(field), get: createGetter(field) }));
  return (message) => fields.find(({ get }) => get(message) === true)?.status;
}
