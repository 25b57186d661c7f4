// Evaluations over gRPC. Unary: against grpc-js, which serves the same message and does no work; by the fast path, and
// by Connect's adapter for comparison. In both directions: four open calls that carry all evaluations, and a stream of
// text for each evaluation, against a bare node:http JSON echo. Authentication, the policy of W and the spool are on.

import { CredentialKind } from "../gen/policyguard/options/v1/options_pb.ts";
import { newToken } from "../src/kit/crypto/token.ts";
import { newTexts, workLoadBodies, workLoadTexts } from "./load/bodies.ts";
import { type BenchServer, startServer, underLoad } from "./load/http.ts";
import {
  eachBody,
  eachPath,
  streamBody,
  streamPath,
  unaryBody,
  unaryPath,
  underEachLoad,
  underRpcLoad,
} from "./load/rpc.ts";
import { type Bench, type Case, measure } from "./measure.ts";

/** Measures evaluations over gRPC. */
export const evaluateRpcBench: Bench = async () => {
  const token = newToken(CredentialKind.RUNTIME);
  const echo = await startServer<number>("echo");
  const floor = await startServer<number>("rpc-reference");
  const runtime = await startServer<number>("runtime", token);
  const texts = workLoadTexts();
  const same = texts.slice(0, 1);
  const unary = (
    name: string,
    server: BenchServer<number>,
    list: readonly string[],
    more: Partial<Case> & { path?: string } = {},
  ) =>
    rpcCase(name, server, { token, path: more.path ?? unaryPath, bodies: list.map(unaryBody), against: more.against });
  try {
    return await measure([
      unary("grpc-js without work, same body", floor, same),
      unary("unary, same body", runtime, same, { against: "grpc-js without work, same body" }),
      unary("unary by Connect's adapter, same body", runtime, same, {
        path: `${unaryPath}?ordinary`,
        against: "grpc-js without work, same body",
      }),
      unary("grpc-js without work, 128 bodies", floor, texts),
      unary("unary, 128 bodies", runtime, texts, { against: "grpc-js without work, 128 bodies" }),
      unary("unary, each text new", runtime, newTexts(), { against: "grpc-js without work, 128 bodies" }),
      {
        name: "JSON echo over HTTP, same body",
        run: () => underLoad(echo.child, { url: `http://127.0.0.1:${echo.told}/`, requests: echoed(), status: 200 }),
      },
      eachCase("four open calls that carry all, same body", runtime, { token, texts: same }),
      eachCase("four open calls that carry all, 128 bodies", runtime, { token, texts }),
      eachCase("four open calls that carry all, each text new", runtime, { token, texts: newTexts() }),
      rpcCase("a stream both ways for each, same body", runtime, {
        token,
        path: streamPath,
        bodies: same.map(streamBody),
        against: "JSON echo over HTTP, same body",
      }),
    ]);
  } finally {
    for (const { child } of [echo, floor, runtime]) child.kill();
  }
};

function echoed() {
  const headers = { "content-type": "application/json" };
  return workLoadBodies()
    .slice(0, 1)
    .map((body) => ({ method: "POST" as const, headers, body }));
}

function eachCase(
  name: string,
  { child, told: port }: BenchServer<number>,
  { token, texts }: { token: string; texts: readonly string[] },
): Case {
  const load = { port, path: eachPath, token, bodies: texts.map(eachBody) };
  return { name, against: "JSON echo over HTTP, same body", run: () => underEachLoad(child, load) };
}

function rpcCase(
  name: string,
  { child, told: port }: BenchServer<number>,
  { against, ...load }: { token: string; path: string; bodies: readonly Buffer[]; against?: string | undefined },
): Case {
  return { name, against, run: () => underRpcLoad(child, { port, ...load }) };
}
