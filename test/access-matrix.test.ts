// Who may call what: every operation, by every kind of caller, on its own things and on others'. And that the matrix would
// notice: each access option, weakened, and each row policy, opened, has to turn it red.

import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CredentialKind } from "../gen/policyguard/options/v1/options_pb.ts";
import type { Vector } from "../gen/policyguard/testing/v1/vector_pb.ts";
import { controlServices } from "../src/control-plane.ts";
import { methodFacts } from "../src/kit/options.ts";
import { promiseOf } from "./harness/access/expectation.ts";
import { checkMethod, shareOf } from "./harness/access/matrix.ts";
import { principals } from "./harness/access/principal.ts";
import { filledTables, leakingTables, tenantTables } from "./harness/access/rows.ts";
import { startTestControlPlane } from "./harness/control-plane.ts";
import { callName, type Dialect } from "./harness/dialect.ts";
import { startDnsServer } from "./harness/dns-server.ts";
import { createRunningClock } from "./harness/moved-clock.ts";
import { type Scene, type Stage, setScene } from "./harness/scene.ts";
import { unserved } from "./harness/served.ts";
import { readVectors } from "./harness/vector.ts";

const vectors = readVectors(join(import.meta.dirname, "vectors", "control")).map(({ vector }) => vector);
const methods = controlServices
  .flatMap((service) => service.methods)
  .filter((method) => !unserved.has(callName(method)));
const named = methods.map((method) => [callName(method), method] as const);
const promises = new Map(methods.map((method) => [method, promiseOf(method)]));

describe("the access matrix", () => {
  const clock = createRunningClock();
  let stage: Stage;
  let closeDns: () => Promise<void>;
  let cells = 0;

  beforeAll(async () => {
    const dns = await startDnsServer();
    dns.names.set("hooks.example.com", ["93.184.216.34"]);
    closeDns = () => dns.close();
    const env = { POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8", POLICY_GUARD_DNS_SERVERS: dns.address };
    stage = {
      plane: await startTestControlPlane({ clock, env, variables: { sink_url: "http://127.0.0.1:1/" } }),
      clock,
    };
  });

  afterAll(async () => {
    await stage.plane.stop();
    await closeDns();
    process.stdout.write(`access matrix: ${methods.length} operations, ${cells} calls\n`);
  });

  it.each(named)("%s answers every caller as its options say", async (_, method) => {
    const found = await checkMethod(stage, method, successesOf(method), { promised: promised(method), dialects });
    cells += found.cells;
    expect(found.wrong, found.wrong.join("\n")).toEqual([]);
  });
});

function promised(method: DescMethod) {
  const found = promises.get(method);
  if (found === undefined) throw new Error(`${callName(method)} was not there at the start`);
  return found;
}

function successesOf(method: DescMethod): Vector[] {
  const { successStatus } = methodFacts(method);
  return vectors.filter(({ call, want }) => call?.method === callName(method) && want?.status === successStatus);
}

/** REST and Connect always, gRPC for one call in ten. */
function dialects(method: DescMethod, cell: string): Dialect[] {
  if (method.methodKind === "bidi_streaming") return ["grpc"];
  const grpc: Dialect[] = shareOf(cell) < 0.1 ? ["grpc"] : [];
  const rest: Dialect[] = methodFacts(method).http === undefined ? [] : ["rest"];
  return [...rest, "connect", ...grpc];
}
