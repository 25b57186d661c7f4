// `POST /v1/evaluate/input` against a bare node:http JSON echo: the same body over and over, and 128 different ones,
// which the runtime remembers, and bodies that it has never seen. Authentication, the policy of W and the spool are on.
// A policy of one phrase shows what lies around the engine.

import { CredentialKind } from "../gen/policyguard/options/v1/options_pb.ts";
import { newToken } from "../src/kit/crypto/token.ts";
import { unfinishedTexts, workLoadBodies } from "./load/bodies.ts";
import { type BenchServer, numbered, startServer, underLoad } from "./load/http.ts";
import { type Bench, type Case, measure } from "./measure.ts";

/** Measures evaluations over REST. */
export const evaluateRestBench: Bench = async () => {
  const token = newToken(CredentialKind.RUNTIME);
  const echo = await startServer<number>("echo");
  const runtime = await startServer<number>("runtime", token);
  const light = await startServer<number>("runtime", token, "light");
  const bodies = workLoadBodies();
  const same = bodies.slice(0, 1);
  try {
    return await measure([
      loadCase("echo, same body", echo, token, same),
      loadCase("evaluate by a policy of one phrase, same body", light, token, same, "echo, same body"),
      loadCase("evaluate, same body", runtime, token, same, "echo, same body"),
      loadCase("echo, 128 bodies", echo, token, bodies),
      loadCase("evaluate, 128 bodies", runtime, token, bodies, "echo, 128 bodies"),
      loadCase("evaluate, each text new", runtime, token, workLoadBodies(unfinishedTexts()), "echo, 128 bodies"),
    ]);
  } finally {
    echo.child.kill();
    runtime.child.kill();
    light.child.kill();
  }
};

/** Posts these bodies to `/v1/evaluate/input` over and over. */
export function loadCase(
  name: string,
  { child, told: port }: BenchServer<number>,
  token: string,
  bodies: readonly string[],
  against?: string,
): Case {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const url = `http://127.0.0.1:${port}/v1/evaluate/input`;
  const requests = bodies.map((body) => {
    const request = { method: "POST" as const, headers, body };
    return body.includes("<id>") ? numbered(request) : request;
  });
  return { name, against, run: () => underLoad(child, { url, requests, status: 200 }) };
}
