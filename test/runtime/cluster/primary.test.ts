// What a parent does when a child of it cannot be started or does not end, and what the children do when it is gone.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ProcessGroup, startProcesses } from "../../../runtime/cluster/primary.ts";
import { slotVariable } from "../../../runtime/cluster/worker-slot.ts";
import { compileCacheVariables } from "../../../scripts/compile-cache.ts";
import { createLog } from "../../../src/kit/observability/log.ts";
import { isRunning, processStamp } from "../../../src/kit/process/process-stamp.ts";
import { signedBundle } from "../../harness/bundle.ts";
import { eventually } from "../../harness/eventually.ts";

const log = createLog({ name: "runtime", level: "silent" });
const policy = `
apiVersion: policyguard/v1
kind: Policy
metadata: {name: guard}
rules:
  - {id: mail, stages: [input], detect: {ref: pii, entities: [EMAIL]}, action: BLOCK}
`;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "policy-guard-parent-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the primary process", () => {
  const { execPath, argv } = process;
  let group: ProcessGroup;

  // Children that say that they listen, leave their id, and end at no signal that can be caught.
  beforeEach(async () => {
    const script = join(folder, "child.mjs");
    const text = `import { writeFileSync } from "node:fs";
process.on("SIGTERM", () => {});
process.once("disconnect", () => process.exit());
writeFileSync(${JSON.stringify(folder)} + "/" + process.pid + ".pid", "");
process.send({ managementPort: 9 });`;
    writeFileSync(script, text);
    process.argv = [execPath, script];
    group = await startProcesses({
      count: 1,
      port: 0,
      host: "127.0.0.1",
      managementPort: 0,
      managementHost: "127.0.0.1",
      modelSocket: undefined,
      notes: () => ({}),
      log,
    });
  });

  afterEach(async () => {
    process.execPath = execPath;
    process.argv = argv;
    for (const pid of pids()) if (processStamp(pid).startedAt !== "") process.kill(pid, "SIGKILL");
    for (const step of group.shutdownSteps) await step.run(AbortSignal.abort());
  });

  const pids = () =>
    readdirSync(folder).flatMap((name) => (name.endsWith(".pid") ? [Number(name.slice(0, -".pid".length))] : []));

  it("goes on when a child cannot be started, and tries again", async () => {
    process.execPath = join(folder, "nothing");
    process.kill(pids()[0] ?? 0, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    process.execPath = execPath;
    await eventually(() => expect(pids()).toHaveLength(2));
  });

  it("kills a child that does not end in its time", async () => {
    const stamp = processStamp(pids()[0] ?? 0);
    const step = group.shutdownSteps.find(({ name }) => name === "processes");
    await step?.run(AbortSignal.timeout(300));
    expect(isRunning(stamp)).toBe(false);
  });
});

describe("the readiness of several processes", () => {
  const { argv } = process;
  let group: ProcessGroup;

  // Children that are ready while a file with their number is there.
  beforeEach(async () => {
    const script = join(folder, "child.mjs");
    const text = `import { existsSync } from "node:fs";
import { createServer } from "node:http";
process.once("disconnect", () => process.exit());
const { index } = JSON.parse(process.env.${slotVariable});
const isReady = () => existsSync(${JSON.stringify(folder)} + "/ready-" + index);
const server = createServer((_, response) => response.writeHead(isReady() ? 200 : 503).end());
server.listen(0, "127.0.0.1", () => process.send({ managementPort: server.address().port }));`;
    writeFileSync(script, text);
    process.argv = [process.execPath, script];
    const host = "127.0.0.1";
    group = await startProcesses({
      ...{ count: 2, port: 0, host, managementPort: 0, managementHost: host, modelSocket: undefined, log },
      notes: () => ({}),
    });
  });

  afterEach(async () => {
    process.argv = argv;
    for (const step of group.shutdownSteps) await step.run(AbortSignal.timeout(60_000));
  });

  it("waits for all of them at the start, and for one of them later", async () => {
    const readyz = async () => {
      const answer = await fetch(`http://127.0.0.1:${group.managementPort}/readyz`);
      return { status: answer.status, processes: Object(await answer.json()).checks.processes };
    };
    const becomes = (status: number, processes: string) =>
      eventually(async () => expect(await readyz()).toEqual({ status, processes }));
    await becomes(503, "none_ready");
    writeFileSync(join(folder, "ready-0"), "");
    await becomes(503, "starting");
    writeFileSync(join(folder, "ready-1"), "");
    await becomes(200, "ok");
    rmSync(join(folder, "ready-0"));
    expect(await readyz()).toEqual({ status: 200, processes: "ok" });
    rmSync(join(folder, "ready-1"));
    await becomes(503, "none_ready");
  });
});

describe("the processes of a runtime", () => {
  it.each(["SIGKILL", "SIGTERM"] as const)(
    "end although their parent was ended by %s before they had begun",
    async (signal) => {
      const { json, key } = await signedBundle([policy]);
      writeFileSync(join(folder, "bundle.json"), json);
      writeFileSync(join(folder, "key.json"), JSON.stringify(key.publicJwk));
      const args = ["--bundle", join(folder, "bundle.json"), "--key", join(folder, "key.json"), "--no-auth"];
      const env = {
        ...process.env,
        ...compileCacheVariables,
        ...{ RUNTIME_PROCESSES: "2", RUNTIME_PORT: "0", RUNTIME_MANAGEMENT_PORT: "0" },
        POLICY_GUARD_DATA: join(folder, "data"),
      };
      const parent = spawn(process.execPath, ["runtime/main.ts", ...args], { env, stdio: "ignore" });
      const pid = parent.pid ?? 0;
      const children = await eventually(() => {
        const found = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
        expect(found).toHaveLength(2);
        return found.map((child) => processStamp(Number(child)));
      });
      parent.kill(signal);
      await once(parent, "exit");
      await eventually(() => expect(children.filter(isRunning)).toEqual([]));
    },
    60_000,
  );
});
