// Who may call what: every operation, by every kind of caller, on its own things and on others'. And that the matrix
// would notice: each access option, weakened, and each row policy, opened, has to turn it red.

import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Vector } from "../gen/policyguard/testing/v1/vector_pb.ts";
import { isAssurance, reportSample, sampleOf, shareOf } from "../scripts/assurance/sample.ts";
import { controlServices } from "../src/control-services.ts";
import { methodFacts } from "../src/kit/rpc/options.ts";
import { type Expected, promiseOf } from "./harness/access/expectation.ts";
import { checkMethod } from "./harness/access/matrix.ts";
import { type Mutant, mutantsOf } from "./harness/access/mutant.ts";
import type { Principal } from "./harness/access/principal.ts";
import { filledTables, leakingTables } from "./harness/access/rows.ts";
import type { Target } from "./harness/access/target.ts";
import { createRunningClock } from "./harness/moved-clock.ts";
import { startDnsServer } from "./harness/net/dns-server.ts";
import { unserved } from "./harness/net/served.ts";
import { startTestControlPlane } from "./harness/process/control-plane.ts";
import { callName, type Dialect } from "./harness/vector/dialect.ts";
import { perform, type Scene, setScene } from "./harness/vector/scene.ts";
import type { Stage } from "./harness/vector/scene-step.ts";
import { readVectors } from "./harness/vector/vector.ts";

const namedVectors = readVectors(join(import.meta.dirname, "vectors", "control"));
const vectors = namedVectors.map(({ vector }) => vector);
const methods = controlServices
  .flatMap((service) => service.methods)
  .filter((method) => !unserved.has(callName(method)));
const named = methods.map((method) => [callName(method), method] as const);
/**
 * Mutants of the suite; `npm run assurance -- access-matrix` asks for all of them, and for every call in every dialect.
 */
const mutantsOfSuite = 4;
const { n: mutants } = sampleOf({ n: mutantsOfSuite, seed: 1 });
const promises = new Map(methods.map((method) => [method, promiseOf(method)]));

describe("the access matrix", () => {
  const clock = createRunningClock();
  let stage: Stage;
  let closeDns: () => Promise<void>;
  let cells = 0;
  let wrongCells = 0;
  let tried = 0;
  let unnoticed = 0;

  beforeAll(async () => {
    const dns = await startDnsServer();
    dns.names.set("hooks.example.com", ["93.184.216.34"]);
    closeDns = () => dns.close();
    const env = { POLICY_GUARD_ALLOW_NETWORKS: "127.0.0.0/8", POLICY_GUARD_DNS_SERVERS: dns.address };
    stage = {
      plane: await startTestControlPlane({ clock, env, variables: { sink_url: "http://127.0.0.1:1/" } }),
      clock,
      dns,
    };
  });

  afterAll(async () => {
    await stage.plane.stop();
    await closeDns();
    process.stdout.write(`access matrix: ${methods.length} operations, ${cells} calls, ${wrongCells} wrong\n`);
    reportSample({
      n: cells,
      failures: wrongCells + unnoticed,
      figures: { operations: methods.length, mutants: tried },
    });
  });

  it.each(named)("%s answers every caller as its options say", async (_, method) => {
    const found = await checkMethod(stage, method, successesOf(method), { promised: promised(method), dialects });
    cells += found.cells;
    wrongCells += found.wrong.length;
    expect(found.wrong, found.wrong.join("\n")).toEqual([]);
  });

  it.each(sample(mutantsOf(methods), mutants).map((mutant) => [mutant.name, mutant] as const))(
    "the matrix notices when %s",
    async (_, { method, weaken }) => {
      const restore = weaken();
      try {
        const options = { promised: promised(method), dialects: oneDialect };
        // Where the method also sets the scene, that fails before the first call of the matrix.
        const wrong = await checkMethod(stage, method, successesOf(method), options).then(
          (found) => found.wrong,
          (error: unknown) => [String(error)],
        );
        tried += 1;
        unnoticed += Number(wrong.length === 0);
        expect(wrong).not.toEqual([]);
      } finally {
        restore();
      }
    },
  );

  describe("of rows", () => {
    let own: Scene;
    let other: Scene;
    let owner: pg.Client;

    beforeAll(async () => {
      [own, other] = [await fullScene(stage), await fullScene(stage)];
      owner = new pg.Client({ connectionString: stage.plane.urls.migrationUrl });
      await owner.connect();
    });

    afterAll(() => owner.end());

    it("shows an organization no rows of another, in any table", async () => {
      const { database } = stage.plane;
      expect(await leakingTables(database, own.world.orgId, other.world.orgId)).toEqual([]);
      const filled = await filledTables(await stage.plane.witness(), other.world.orgId);
      expect(filled).toEqual(
        expect.arrayContaining([
          "agent",
          "audit_entry",
          "audit_opening",
          "bundle",
          "policy",
          "policy_detector",
          "sso_identity",
          "sso_login",
          "token",
          "trace",
          "webhook",
          "webhook_attempt",
        ]),
      );
    });

    it("notices when the row policy of any table is opened", async () => {
      const { database } = stage.plane;
      const unnoticed: string[] = [];
      for (const table of await filledTables(await stage.plane.witness(), other.world.orgId)) {
        const [policy] = (await owner.query(policyText, [table])).rows;
        await owner.query(`alter policy tenant on ${table} using (true)`);
        const leaking = await leakingTables(database, own.world.orgId, other.world.orgId);
        await owner.query(`alter policy tenant on ${table} using (${policy.text})`);
        if (!leaking.includes(table)) unnoticed.push(table);
      }
      expect(unnoticed).toEqual([]);
    });
  });
});

const policyText =
  "select qual as text from pg_policies where schemaname = 'public' and tablename = $1 and policyname = 'tenant'";

/** An organization with something in as many tables as there can be. */
async function fullScene(stage: Stage): Promise<Scene> {
  const parts = [
    "project/agent/list_200_as-ci",
    "bundle/bundle/latest_200_other-etag",
    "measure/annotation/create_201_from-queue",
    "telemetry/trace/list_200_reported",
    "webhook/webhook/get-delivery_200_dropped",
    "identity/sso/finish_200_member",
  ];
  const scene = await setScene(stage, { given: parts.flatMap((name) => vectorNamed(name).given) });
  for (const name of ["fleet/reporting/enrol_200_runtime", "identity/sso/finish_200_member"]) {
    const { call } = vectorNamed(name);
    if (call !== undefined) await perform(stage, "grpc", call, scene);
  }
  return scene;
}

function vectorNamed(name: string): Vector {
  const found = namedVectors.find((vector) => vector.name === name);
  if (found === undefined) throw new Error(`there is no vector ${name}`);
  return found.vector;
}

/** The same few of many in every run, spread over all of them. */
function sample(mutants: readonly Mutant[], count: number): Mutant[] {
  return mutants.toSorted((a, b) => shareOf(a.name) - shareOf(b.name)).slice(0, count);
}

/** For mutants: the least that shows them. What is allowed anyway does not. */
function oneDialect(method: DescMethod, { kind }: Principal, _target: Target, { status }: Expected): Dialect[] {
  if (kind === undefined || status < 400) return [];
  return [methodFacts(method).http === undefined ? "grpc" : "rest"];
}

function promised(method: DescMethod) {
  const found = promises.get(method);
  if (found === undefined) throw new Error(`${callName(method)} was not there at the start`);
  return found;
}

function successesOf(method: DescMethod): Vector[] {
  const { successStatus } = methodFacts(method);
  return vectors.filter(({ call, want }) => call?.method === callName(method) && want?.status === successStatus);
}

/** Of calls that name what is not there, or what is another's within the organization: how many the suite makes. */
const shareAstray = 0.1;
/**
 * Of calls whose refusal is the same for many callers: by credentials that are none, and by members in another
 * organization.
 */
const shareAlike = 0.25;
/**
 * Of calls that change something, each of which needs an organization of its own, by callers above the least one
 * allowed.
 */
const shareAbove = 0.15;

/**
 * What the suite tries: REST, and Connect or gRPC for few calls, since they share interceptors and handlers with it.
 * What is public asks nobody who calls.
 */
function dialects(method: DescMethod, principal: Principal, target: Target, expected: Expected): Dialect[] {
  if (method.methodKind === "bidi_streaming") return ["grpc"];
  const facts = methodFacts(method);
  if (facts.access.public && !["anonymous", "garbage"].includes(principal.persona)) return [];
  const rest: Dialect[] = facts.http === undefined ? [] : ["rest"];
  if (isAssurance()) return [...rest, "connect", "grpc"];
  const isPlain = target.name === "own" || target.organization === "foreign";
  const share = shareOf(`${callName(method)} ${principal.name} ${target.name}`);
  if (!isPlain && share > shareAstray) return [];
  const isLeast = principal.role === facts.access.leastRole || principal.persona === "admin";
  const isChange = expected.status < 400 && facts.http?.pattern.case !== "get";
  if (isChange && !isLeast && share > shareAbove) return [];
  const isInvalid = principal.kind === undefined && principal.persona !== "anonymous";
  const isMemberAbroad = principal.role !== undefined && target.organization === "foreign";
  if ((isInvalid || isMemberAbroad) && !facts.access.public && share > shareAlike) return [];
  const isToken = principal.kind !== undefined && principal.role === undefined;
  const isRpc = rest.length === 0 || (isPlain && isToken && !isChange && share < 0.3);
  if (!isRpc) return rest;
  return [...rest, share < 0.05 ? "grpc" : "connect"];
}
