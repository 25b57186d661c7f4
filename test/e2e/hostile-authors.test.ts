// While one organization sends documents that are written to be expensive, another one's calls are answered as if
// nothing were, and no process ends. The suite tries two known ones against small limits, in this process; `npm run
// assurance -- hostile-authors` tries a thousand against a control plane of its own, and writes down the longest that
// the neighbour had to wait.

import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isAssurance, reportSample, sampleOf } from "../../scripts/assurance/sample.ts";
import { freePort } from "../../scripts/postgres/port.ts";
import { type AnalysisPool, createAnalysisPool } from "../../src/analysis-pool.ts";
import { analysisLimits } from "../../src/domain/analysis/analysis.ts";
import { createLog } from "../../src/kit/observability/log.ts";
import { type Database, openDatabase } from "../../src/store/connection/database.ts";
import { createTestDatabase } from "../harness/database.ts";
import { generator } from "../harness/generator.ts";
import { startTestControlPlane } from "../harness/process/control-plane.ts";
import {
  type HostileDocument,
  hostileDocument,
  knownDocuments,
  policyTests,
} from "../harness/process/hostile-author.ts";
import { startNodeProcess } from "../harness/process/node-process.ts";
import { setPlan } from "../harness/vector/plan.ts";
import { createWorld, type World } from "../harness/vector/world.ts";

const { n, seed } = sampleOf({ n: 2, seed: 1 });
const quietMs = 5_000;
/** What a neighbour may have to wait beyond the worst of a quiet time. */
const mostBeyondMs = 100;
/**
 * What a hostile document may be answered with: it is fine, it is not valid, or it is too expensive, for its limits or
 * for the moment.
 */
const fineErrors = [
  undefined,
  "policy_invalid",
  "validation_failed",
  "policy_tests_failed",
  "analysis_timeout",
  "overloaded",
  "too_large",
];

interface Scene {
  readonly baseUrl: string;
  readonly neighbour: World;
  newAuthor(): Promise<World>;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with what they want.
  readonly body: any;
}

let scene: Scene;
let author: World;

beforeAll(async () => {
  scene = isAssurance() ? await separateProcess() : await ownProcess();
  author = await scene.newAuthor();
});

afterAll(() => scene.stop());

describe("hostile documents", () => {
  it("keep no neighbour waiting and end no process", async () => {
    const quiet = await reads(sleep(isAssurance() ? quietMs : 200));
    const errors = new Map<string, number>();
    let worst = { ms: 0, kind: "" };
    let failures = 0;
    const random = generator(seed);
    for (let number = 0; number < n; number++) {
      // One has room for a hundred schemas.
      if (number % 90 === 89) author = await scene.newAuthor();
      const document = knownDocuments[number] ?? hostileDocument(random, number);
      const sending = send(document, number);
      const { longestMs } = await reads(sending);
      const error: string | undefined = (await sending).body?.detail?.error;
      errors.set(error ?? "none", (errors.get(error ?? "none") ?? 0) + 1);
      if (longestMs > worst.ms) worst = { ms: longestMs, kind: document.kind };
      const isFine = fineErrors.includes(error);
      if (!isFine || longestMs > quiet.longestMs + mostBeyondMs) {
        failures++;
        console.log(`${document.kind} ${number}: ${error}, the neighbour waited up to ${Math.round(longestMs)} ms`);
      }
      expect({ kind: document.kind, error, isFine }).toMatchObject({ isFine: true });
    }
    // Nothing of it was ended from outside, and nothing has to be warmed up again.
    expect((await call(scene.neighbour, "policies/validate", { document: fair })).body).toMatchObject({ valid: true });
    const round = (ms: number) => Math.round(ms * 10) / 10;
    reportSample({
      n,
      failures,
      figures: {
        quiet_worst_ms: round(quiet.longestMs),
        worst_ms: round(worst.ms),
        too_expensive: errors.get("analysis_timeout") ?? 0,
        overloaded: errors.get("overloaded") ?? 0,
        taken: errors.get("none") ?? 0,
      },
    });
  });

  it("are refused with what was too expensive, and leave the neighbour's calls to be answered meanwhile", async () => {
    const sending = send({ kind: "robustness", calls: [policyTests(60, 4_300, { robustness: true })] }, 0);
    const { answered } = await reads(sending);
    expect(answered).toBeGreaterThan(5);
    expect(await sending).toMatchObject({
      status: 422,
      body: {
        detail: {
          error: "analysis_timeout",
          limit: "cpu",
          phase: expect.stringMatching(/^(the test "t|the robustness of)/),
        },
      },
    });
  });

  it("of one organization use up its own turn: the tenth at once is refused, a neighbour's first is not", async () => {
    scene = isAssurance() ? scene : await roomier(scene);
    author = await scene.newAuthor();
    // Both processes are there before, so that no document pays for their start.
    await Promise.all([0, 1].map(() => call(scene.neighbour, "policies/validate", { document: fair })));
    const document = { kind: "tests", calls: [policyTests(15, 1_000)] };
    const sending = Array.from({ length: 10 }, (_, number) => send(document, number));
    // Once one is refused, all ten have arrived.
    const refused = await Promise.any(
      sending.map(async (sent) => {
        const answer = await sent;
        expect(answer.status).toBe(503);
        return answer;
      }),
    );
    expect(refused).toMatchObject({ status: 503, body: { detail: { error: "overloaded", retry_after: 5 } } });
    expect((await call(scene.neighbour, "policies/validate", { document: fair })).body).toMatchObject({ valid: true });
    // On a very busy machine those that wait may be too late as well, all of them even.
    for (const { status } of await Promise.all(sending)) expect([200, 503]).toContain(status);
  });
});

const fair = {
  apiVersion: "policyguard/v1",
  kind: "Policy",
  metadata: { name: "fair" },
  rules: [{ id: "r", stages: ["input"], detect: "secrets", action: "BLOCK" }],
};

/** The neighbour reads until this is settled: how often it was answered, and how long the longest took. */
async function reads(settled: Promise<unknown>): Promise<{ readonly longestMs: number; readonly answered: number }> {
  let [isSettled, longestMs, answered] = [false, 0, 0];
  const done = settled.finally(() => {
    isSettled = true;
  });
  do {
    const beganMs = performance.now();
    const { status } = await call(scene.neighbour, "usage");
    longestMs = Math.max(longestMs, performance.now() - beganMs);
    expect(status).toBe(200);
    if (!isSettled) answered++;
    await sleep(isAssurance() ? 2 : 20);
  } while (!isSettled);
  await done;
  return { longestMs, answered };
}

/** Sends the calls of a document; the answer to the last, or to the first that is refused. */
async function send({ calls }: HostileDocument, number: number): Promise<Answer> {
  let answer: Answer = { status: 0, body: {} };
  for (const { path, body } of calls) {
    const named = "name" in body ? { ...body, name: `${body.name}-${number}` } : body;
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of the documents.
    answer = await call(author, path.replace("${id}", String(answer.body?.id)), named);
    if (answer.status >= 300) return answer;
  }
  return answer;
}

async function call({ orgId, tokens }: World, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${scene.baseUrl}/v1/orgs/${orgId}/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${tokens.admin}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** Another control plane in this process, with the CPU time of production. */
async function roomier(former: Scene): Promise<Scene> {
  await former.stop();
  return ownProcess(analysisLimits.document.cpuMs);
}

/** A control plane in this process, whose documents may have less than they may have otherwise. */
async function ownProcess(cpuMs = 1_500): Promise<Scene> {
  const { document } = analysisLimits;
  // Less CPU time, so that it is used up soon, and more time to get it in: analysis gives way to all other processes.
  const limits = { ...analysisLimits, document: { ...document, cpuMs, wallMs: 100_000 } };
  const pool: AnalysisPool = createAnalysisPool({ log: createLog({ name: "test", level: "silent" }), limits });
  const plane = await startTestControlPlane({ analysis: pool.analysis });
  return {
    ...{ baseUrl: plane.baseUrl, neighbour: await createWorld(plane.database) },
    newAuthor: () => authorIn(plane.database),
    async stop() {
      await plane.stop();
      await pool.close();
    },
  };
}

/** A control plane as it runs in production. */
async function separateProcess(): Promise<Scene> {
  const urls = await createTestDatabase();
  const port = await freePort();
  const plane = await startNodeProcess({
    script: "src/main.ts",
    env: {
      ...{ PORT: String(port), MANAGEMENT_PORT: "0", HOST: "127.0.0.1", DATABASE_URL: urls.applicationUrl },
      POLICY_GUARD_MASTER_KEY: randomBytes(32).toString("base64"),
    },
    readyMessage: "control plane is listening",
  });
  const database = await openDatabase({ url: urls.applicationUrl, poolSize: 2 });
  return {
    ...{ baseUrl: `http://127.0.0.1:${port}`, neighbour: await createWorld(database) },
    newAuthor: () => authorIn(database),
    async stop() {
      await plane.stop();
      await database.close();
      await urls.drop();
    },
  };
}

/** Somebody whose plan never runs out. */
async function authorIn(database: Database): Promise<World> {
  const world = await createWorld(database);
  await setPlan(database, world.orgId, "enterprise");
  return world;
}
