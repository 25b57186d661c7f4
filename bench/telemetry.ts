// What spans cost a runtime: evaluations over REST without a collector, with one at the default of 1 % of traces, and
// with every trace recorded.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { CredentialKind } from "../gen/policyguard/options/v1/options_pb.ts";
import { newToken } from "../src/kit/crypto/token.ts";
import { unfinishedTexts, workLoadBodies } from "./load/bodies.ts";
import { type BenchServer, numbered, startServer, underLoad } from "./load/http.ts";
import { type Bench, type Case, measure } from "./measure.ts";

/** Measures evaluations with and without spans. */
export const telemetryBench: Bench = async () => {
  const token = newToken(CredentialKind.RUNTIME);
  const collector = createServer((request, response) => void request.resume().once("end", () => response.end("{}")));
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`; // listens on TCP
  const start = (...spans: string[]) => startServer<number>("runtime", token, "full", ...spans);
  const servers = { none: await start(), some: await start(url, "0.01"), all: await start(url, "1") };
  const known = workLoadBodies();
  const fresh = workLoadBodies(unfinishedTexts());
  try {
    return await measure([
      loadCase("128 bodies, no spans", servers.none, { token, bodies: known }),
      loadCase("128 bodies, 1 % of traces", servers.some, { token, bodies: known, against: "128 bodies, no spans" }),
      loadCase("128 bodies, all traces", servers.all, { token, bodies: known, against: "128 bodies, no spans" }),
      loadCase("new texts, no spans", servers.none, { token, bodies: fresh }),
      loadCase("new texts, 1 % of traces", servers.some, { token, bodies: fresh, against: "new texts, no spans" }),
      loadCase("new texts, all traces", servers.all, { token, bodies: fresh, against: "new texts, no spans" }),
    ]);
  } finally {
    for (const { child } of Object.values(servers)) child.kill();
    collector.close();
    collector.closeAllConnections();
  }
};

interface CaseParts {
  readonly token: string;
  readonly bodies: readonly string[];
  readonly against?: string;
}

function loadCase(name: string, server: BenchServer<number>, { token, bodies, against }: CaseParts): Case {
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const url = `http://127.0.0.1:${server.told}/v1/evaluate/input`;
  const requests = bodies.map((body) => {
    const request = { method: "POST" as const, headers, body };
    return body.includes("<id>") ? numbered(request) : request;
  });
  return { name, against, run: () => underLoad(server.child, { url, requests, status: 200 }) };
}
