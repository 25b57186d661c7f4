import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterEach, describe, expect, it } from "vitest";
import type { FastStreamMethod } from "../../../gateway/fast/call.ts";
import { MessageFrames } from "../../../gateway/rpc/frames.ts";
import {
  EvaluateEachRequestSchema,
  EvaluateEachResponseSchema,
  EvaluationService,
} from "../../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { type Listener, listen } from "../../../src/kit/net/listen.ts";
import { createLog } from "../../../src/kit/observability/log.ts";
import type { FinishedCall } from "../../../src/kit/observability/metrics.ts";
import { framed } from "../../harness/vector/envelope.ts";
import { fastPathOf } from "../../harness/vector/fast-path.ts";

const method = EvaluationService.method.evaluateEach;
const path = `/${EvaluationService.typeName}/${method.name}`;
const log = createLog({ name: "test", level: "fatal" });

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Serves the method; each answer has as large an id as it is told. */
async function serve(given: Partial<FastStreamMethod> = {}) {
  const calls: FinishedCall[] = [];
  const closing = new AbortController();
  const { handler, takeStream } = fastPathOf({
    streams: [
      {
        method,
        isSurelyValid: () => true,
        answer: () => create(EvaluateEachResponseSchema, { id: "answer" }),
        maxAhead: 4,
        idleMs: 10_000,
        ...given,
      },
    ],
    countCall: (call) => void calls.push(call),
    closing: closing.signal,
  });
  const listener: Listener = await listen({ port: 0, host: "127.0.0.1", handler, takeStream, log });
  ends.push(() => listener.close({ graceMs: 0 }));
  const session: ClientHttp2Session = connect(`http://127.0.0.1:${listener.port}`);
  ends.push(() => session.destroy());
  return { calls, closing, session };
}

function open(session: ClientHttp2Session): ClientHttp2Stream {
  return session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    authorization: "Bearer t0ken",
  });
}

function frame(id: string): Buffer {
  return framed(toBinary(EvaluateEachRequestSchema, create(EvaluateEachRequestSchema, { id })));
}

async function trailersOf(stream: ClientHttp2Stream): Promise<Record<string, unknown>> {
  stream.resume();
  const [trailers] = await once(stream, "trailers");
  return trailers;
}

describe("a stream on the fast path", () => {
  it("ends after a pause that is too long, and is counted", async () => {
    const { session, calls } = await serve({ idleMs: 50 });
    const stream = open(session);
    stream.write(frame("a"));
    expect(await trailersOf(stream)).toMatchObject({ "grpc-status": "4" });
    expect(calls.map(({ code }) => code)).toEqual(["deadline_exceeded"]);
  });

  it("answers the messages that it has read before it ends because the server closes", async () => {
    const late = Promise.withResolvers<void>();
    const answer = () => late.promise.then(() => create(EvaluateEachResponseSchema, { id: "late" }));
    const { session, closing } = await serve({ answer });
    const stream = open(session);
    stream.write(frame("a"));
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    await once(stream, "response");
    await sleep(50);
    closing.abort(new Error("as the test wants"));
    late.resolve();
    expect(await trailersOf(stream)).toMatchObject({ "grpc-status": "13" });
    expect(Buffer.concat(chunks).subarray(7).toString()).toBe("late");
  });

  it("reads no more messages than it may before the first answer", async () => {
    let taken = 0;
    const first = Promise.withResolvers<void>();
    const answer = () => {
      taken++;
      return first.promise.then(() => create(EvaluateEachResponseSchema));
    };
    const { session } = await serve({ answer, maxAhead: 4 });
    const stream = open(session);
    stream.end(Buffer.concat(Array.from({ length: 20 }, () => frame("a"))));
    await once(stream, "response");
    await sleep(50);
    expect(taken).toBe(4);
    first.resolve();
    expect(await trailersOf(stream)).toMatchObject({ "grpc-status": "0" });
    expect(taken).toBe(20);
  });

  it("is not read while its caller reads no answers", async () => {
    let answered = 0;
    const id = "x".repeat(100_000);
    const answer = () => {
      answered++;
      return create(EvaluateEachResponseSchema, { id });
    };
    const { session } = await serve({ answer, maxAhead: 4 });
    const stream = open(session);
    stream.pause();
    stream.end(Buffer.concat(Array.from({ length: 200 }, () => frame("a"))));
    await once(stream, "response");
    await sleep(150);
    expect(answered).toBeLessThan(20);
    expect(await trailersOf(stream)).toMatchObject({ "grpc-status": "0" });
    expect(answered).toBe(200);
  });

  it("is counted as canceled when its caller goes away", async () => {
    const { session, calls } = await serve();
    const stream = open(session);
    stream.write(frame("a"));
    await once(stream, "response");
    stream.on("error", () => undefined);
    session.destroy(undefined, 8);
    await expect.poll(() => calls.map(({ code }) => code)).toEqual(["canceled"]);
  });

  it("discards messages that come after it failed, and closes the stream", async () => {
    const failing = () => {
      throw new Error("as the test wants");
    };
    const { session } = await serve({ answer: failing });
    const stream = open(session);
    const sending = setInterval(() => stream.destroyed || stream.write(frame("b".repeat(1_000))), 5);
    ends.push(() => clearInterval(sending));
    expect(await trailersOf(stream)).toMatchObject({ "grpc-status": "13" });
    await once(stream, "close");
  });
});

describe("frames", () => {
  it("of a large message that comes in single bytes need no more memory than the message", () => {
    const frames = new MessageFrames(1_000_000);
    const whole = frame("y".repeat(20_000));
    for (let i = 0; i < whole.length - 1; i++) {
      frames.add(whole.subarray(i, i + 1));
      expect(frames.next()).toBeUndefined();
    }
    frames.add(whole.subarray(-1));
    expect(frames.next()?.equals(whole.subarray(5))).toBe(true);
    expect(frames.next()).toBeUndefined();
    frames.end();
  });
});
