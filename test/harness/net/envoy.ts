// What Envoy does with an external processor, by a generic gRPC client that knows no server of ours.

import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type ClientDuplexStream,
  credentials,
  Metadata,
  makeGenericClientConstructor,
  type ServiceError,
} from "@grpc/grpc-js";
import { ProcessingMode_BodySendMode as BodyMode } from "../../../gen/envoy/extensions/filters/http/ext_proc/v3/processing_mode_pb.ts";
import {
  type ImmediateResponse,
  ProcessingRequestSchema,
  type ProcessingResponse,
  ProcessingResponseSchema,
} from "../../../gen/envoy/service/ext_proc/v3/external_processor_pb.ts";

/** A message of Envoy. */
export type EnvoyMessage = MessageInitShape<typeof ProcessingRequestSchema>;

const Processor = makeGenericClientConstructor(
  {
    process: {
      path: "/envoy.service.ext_proc.v3.ExternalProcessor/Process",
      requestStream: true,
      responseStream: true,
      requestSerialize: (bytes: Uint8Array) => Buffer.from(bytes),
      requestDeserialize: (bytes: Buffer) => bytes,
      responseSerialize: (bytes: Uint8Array) => Buffer.from(bytes),
      responseDeserialize: (bytes: Buffer) => bytes,
    },
  },
  "ExternalProcessor",
);

/** A stream of one exchange. */
export interface EnvoyStream {
  /** Sends the bytes of a message, and returns the answer to it. Rejects with the error that ended the stream. */
  readonly ask: (message: EnvoyMessage | Uint8Array) => Promise<ProcessingResponse>;
  readonly end: () => void;
}

/** Opens the stream of one exchange. */
export function openEnvoyStream(port: number, token: string | undefined): EnvoyStream & { readonly close: () => void } {
  const client = new Processor(`127.0.0.1:${port}`, credentials.createInsecure());
  const metadata = new Metadata();
  if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
  const stream: ClientDuplexStream<Uint8Array, Buffer> = client.makeBidiStreamRequest(
    "/envoy.service.ext_proc.v3.ExternalProcessor/Process",
    (bytes: Uint8Array) => Buffer.from(bytes),
    (bytes: Buffer) => bytes,
    metadata,
  );
  let error: ServiceError | undefined;
  stream.on("error", (thrown: ServiceError) => {
    error = thrown;
  });
  const send = (message: EnvoyMessage | Uint8Array) =>
    stream.write(
      message instanceof Uint8Array
        ? message
        : toBinary(ProcessingRequestSchema, create(ProcessingRequestSchema, message)),
    );
  return {
    ask: (message) =>
      new Promise((resolve, reject) => {
        if (error !== undefined) return reject(error);
        const settle = (act: () => void) => {
          stream.off("data", onData).off("error", onError).off("end", onEnd);
          act();
        };
        const onData = (bytes: Buffer) => settle(() => resolve(fromBinary(ProcessingResponseSchema, bytes)));
        const onError = (thrown: ServiceError) => settle(() => reject(thrown));
        const onEnd = () => settle(() => reject(error ?? new Error("the stream ended without an answer")));
        stream.on("data", onData).on("error", onError).on("end", onEnd);
        send(message);
      }),
    end: () => stream.end(),
    close: () => {
      stream.cancel();
      client.close();
    },
  };
}

/** An exchange as a proxy sees it. */
export interface HttpExchange {
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** Undefined for a request without a body. */
  readonly request?: string | Uint8Array;
  readonly status?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly response?: string;
}

/** What came out of the proxy. */
export interface Proxied {
  /** The body that the model got. */
  readonly sent?: string;
  readonly removedHeaders?: readonly string[];
  /** The body that the caller got, of the model. */
  readonly received?: string;
  /** The answer that the caller got in place of the model's. */
  readonly refusal?: { readonly status: number; readonly body: unknown; readonly details: string };
  /** The last facts for the access log. */
  readonly facts?: unknown;
}

const json = { "content-type": "application/json" };

/** Plays an exchange through the processor at a port, as Envoy does with buffered bodies. */
export async function proxied(port: number, token: string | undefined, exchange: HttpExchange): Promise<Proxied> {
  const stream = openEnvoyStream(port, token);
  try {
    return await play(stream, exchange);
  } finally {
    stream.close();
  }
}

async function play(stream: EnvoyStream, exchange: HttpExchange): Promise<Proxied> {
  const { request, status = 200, response } = exchange;
  const opened = await stream.ask({
    request: {
      case: "requestHeaders",
      value: {
        headers: headerMap({
          ":method": request === undefined ? "GET" : "POST",
          ":path": "/v1/chat/completions?beta=1",
          ...json,
          ...exchange.requestHeaders,
        }),
        endOfStream: request === undefined,
      },
    },
    protocolConfig: { requestBodyMode: BodyMode.BUFFERED, responseBodyMode: BodyMode.BUFFERED },
  });
  const removedHeaders =
    opened.response.case === "requestHeaders" ? opened.response.value.response?.headerMutation?.removeHeaders : [];
  let sent: string | undefined;
  let facts: unknown;
  if (request !== undefined) {
    const answer = await stream.ask({
      request: { case: "requestBody", value: { body: bytesOf(request), endOfStream: true } },
    });
    facts = answer.dynamicMetadata;
    if (answer.response.case === "immediateResponse") return { refusal: refusalOf(answer.response.value), facts };
    sent = changed(answer, "requestBody") ?? new TextDecoder().decode(bytesOf(request));
  }
  if (response === undefined) return { sent, removedHeaders, facts };
  await stream.ask({
    request: {
      case: "responseHeaders",
      value: { headers: headerMap({ ":status": String(status), ...json, ...exchange.responseHeaders }) },
    },
  });
  const answer = await stream.ask({
    request: { case: "responseBody", value: { body: bytesOf(response), endOfStream: true } },
  });
  facts = answer.dynamicMetadata ?? facts;
  if (answer.response.case === "immediateResponse") return { sent, refusal: refusalOf(answer.response.value), facts };
  return { sent, removedHeaders, received: changed(answer, "responseBody") ?? response, facts };
}

/** The new body; undefined when it stays. Envoy refuses one whose content-length is wrong. */
function changed({ response }: ProcessingResponse, moment: "requestBody" | "responseBody"): string | undefined {
  if (response.case !== moment) throw new Error(`expected an answer to ${moment}, got ${response.case}`);
  const { bodyMutation, headerMutation } = response.value.response ?? {};
  if (bodyMutation?.mutation.case !== "body") return undefined;
  const length = headerMutation?.setHeaders.find(({ header }) => header?.key === "content-length")?.header?.rawValue;
  const body = bodyMutation.mutation.value;
  if (Number(new TextDecoder().decode(length)) !== body.length) throw new Error("mismatch of content-length");
  return new TextDecoder().decode(body);
}

function refusalOf({ status, body, details }: ImmediateResponse) {
  return { status: status?.code ?? 0, body: JSON.parse(new TextDecoder().decode(body)), details };
}

/** Headers as newer versions of Envoy send them. */
export function headerMap(headers: Readonly<Record<string, string>>) {
  return { headers: Object.entries(headers).map(([key, value]) => ({ key, rawValue: bytesOf(value) })) };
}

function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? new TextEncoder().encode(text) : text;
}
