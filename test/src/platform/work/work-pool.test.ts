import { afterEach, describe, expect, it } from "vitest";
import { Reason } from "../../../../gen/policyguard/common/v1/reason_pb.ts";
import { createLog } from "../../../../src/kit/observability/log.ts";
import { type Work, type WorkKind, WorkPool, type WorkPoolOptions } from "../../../../src/platform/work/work-pool.ts";
import { eventually } from "../../../harness/eventually.ts";

const program = new URL("./work-program.ts", import.meta.url);
const log = createLog({ name: "test", level: "silent" });
const maxResultBytes = 2 ** 20;
const small: WorkKind = { name: "small", maxResultBytes, cpuMs: 300, wallMs: 60_000, maxProcesses: 2 };
const large: WorkKind = { name: "large", maxResultBytes, cpuMs: 60_000, wallMs: 60_000, maxProcesses: 1 };

describe("a pool of processes", () => {
  let pool: WorkPool;
  const results: string[] = [];
  const open = (options: Partial<WorkPoolOptions> = {}) => {
    pool = new WorkPool({
      program,
      log,
      maxHeapMegabytes: 200,
      retiredAboveMegabytes: 300,
      onResult: (job, result) => results.push(`${job} ${result}`),
      ...options,
    });
  };
  const run = (job: string, more: Partial<Work> = {}) =>
    pool.run({ job, input: undefined, kind: large, tenant: "a", ...more });
  const spin = (ms: number, more: Partial<Work> = {}) => run("spin", { input: { ms }, ...more });

  afterEach(() => pool.close());

  it("starts no process before there is work, keeps one, and passes on what a job answers or throws", async () => {
    open();
    expect(pool.processes).toBe(0);
    const input = { at: new Date(0), bytes: new Uint8Array([1, 2]), missing: undefined, list: [1, "a", null] };
    expect(await run("echo", { input })).toEqual(input);
    const first = await run("pid");
    results.length = 0;
    await expect(run("refuse")).rejects.toMatchObject({
      ...{ reason: Reason.VALIDATION_FAILED, message: "no" },
      ...{ extra: { fields: [] }, headers: { "X-Why": "because" } },
    });
    await expect(run("fail")).rejects.toThrow("a mistake");
    await expect(run("nothing")).rejects.toThrow("there is no job nothing");
    expect([await run("pid"), pool.processes]).toEqual([first, 1]);
    expect(results).toEqual(["refuse refused", "fail failed", "nothing failed", "pid done"]);
  });

  it("works at a lower priority than processes that answer calls, and without their secrets", async () => {
    open();
    process.env.SOME_SECRET = "hush";
    try {
      expect(await run("environment")).not.toContain("SOME_SECRET");
    } finally {
      delete process.env.SOME_SECRET;
    }
    expect([await run("yields"), await run("isFirstToGo")]).toEqual([true, true]);
  });

  it.each([
    ["CPU time", "spin", "cpu", "spinning"],
    ["CPU time in native code", "native", "cpu", "sorting"],
    ["memory in one allocation", "double", "memory", "doubling"],
    ["memory outside of the heap", "bytes", "memory", "filling bytes"],
  ] as const)("ends a job that exceeds its %s, and no other", async (_, job, limit, phase) => {
    open();
    const other = spin(1_000, { tenant: "b" });
    const kind = limit === "cpu" ? small : { ...large, maxProcesses: 2 };
    const hostile = run(job, { input: { ms: 60_000 }, kind });
    await expect(hostile).rejects.toMatchObject({ name: "WorkExceeded", limit, phase });
    expect(await other).toBe("spun");
    expect(await run("echo", { input: "again", kind: small })).toBe("again");
  });

  it("refuses an answer that is too large to be read at once", async () => {
    open();
    const input = "x".repeat(maxResultBytes);
    await expect(run("echo", { input })).rejects.toMatchObject({ name: "WorkExceeded", limit: "memory" });
    expect(await run("echo", { input: input.slice(100) })).toHaveLength(maxResultBytes - 100);
  });

  it("runs one job of a tenant, lets eight wait, and refuses the tenth with a time to come back", async () => {
    open();
    const order: number[] = [];
    const jobs = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => spin(30).then(() => order.push(n)));
    await expect(spin(30)).rejects.toMatchObject({
      reason: Reason.OVERLOADED,
      extra: { retry_after: 5 },
      headers: { "Retry-After": "5" },
    });
    // Another tenant, and other work of this one, have bounds of their own.
    expect(await Promise.all([run("echo", { tenant: "b", kind: small }), run("echo", { kind: small })])).toHaveLength(
      2,
    );
    await Promise.all(jobs);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(pool.processes).toBeLessThanOrEqual(2);
  });

  it("serves tenants in turn, whichever queued more work first", async () => {
    open({ maxProcesses: 1 });
    const order: string[] = [];
    const ask = (tenant: string) => spin(5, { tenant, kind: small }).then(() => order.push(tenant));
    await Promise.all([ask("a"), ask("a"), ask("a"), ask("b"), ask("c")]);
    expect(order).toEqual(["a", "b", "c", "a", "a"]);
  });

  it("keeps a process free for other work while one does large work", async () => {
    open();
    const busy = [spin(800, { tenant: "a" }), spin(1, { tenant: "b" })];
    expect(await run("echo", { input: "c", tenant: "c", kind: small })).toBe("c");
    expect(pool.processes).toBe(2);
    await Promise.all(busy);
  });

  it("drops waiting jobs that are aborted, and lets running ones finish", async () => {
    open({ maxProcesses: 1 });
    const pid = await run("pid");
    const [running, waiting] = [new AbortController(), new AbortController()];
    const first = spin(300, { signal: running.signal });
    const second = spin(60_000, { signal: waiting.signal });
    const third = run("pid");
    waiting.abort(new Error("gone"));
    running.abort(new Error("gone too"));
    await expect(second).rejects.toThrow("gone");
    await expect(first).rejects.toThrow("gone too");
    expect(await third).toBe(pid);
  });

  it("answers within the wall-clock limit, whether a job waits or runs", async () => {
    open({ maxProcesses: 1 });
    await run("echo");
    const kind = { ...large, wallMs: 300 };
    const jobs = [spin(60_000, { kind }), spin(60_000, { kind, tenant: "b" })];
    const outcomes = await Promise.allSettled(jobs);
    expect(outcomes).toMatchObject([1, 2].map(() => ({ status: "rejected", reason: { reason: Reason.OVERLOADED } })));
    expect(await run("echo", { input: "next" })).toBe("next");
  });

  it("lets a job go on that its caller no longer waits for, so that its process serves the next one", async () => {
    open({ maxProcesses: 1 });
    const pid = await run("pid");
    await expect(spin(1_500, { kind: { ...large, wallMs: 1_000 } })).rejects.toMatchObject({
      reason: Reason.OVERLOADED,
    });
    expect(await run("pid")).toBe(pid);
  });

  it("ends all idle processes but one, and replaces a process that has grown", async () => {
    open({ idleMs: 20, retiredAboveMegabytes: 1 });
    const pid = await run("pid");
    expect(await run("pid")).not.toBe(pid);
    await pool.close();
    open({ idleMs: 20 });
    await Promise.all([run("pid"), run("pid", { tenant: "b", kind: small })]);
    await eventually(async () => expect(pool.processes).toBe(1));
    expect(await run("echo", { input: 1 })).toBe(1);
  });

  it("refuses work once it is closed, and fails running jobs", async () => {
    open();
    const running = spin(60_000);
    running.catch(() => undefined);
    await run("echo", { tenant: "b", kind: small });
    await pool.close();
    await expect(running).rejects.toMatchObject({ reason: Reason.OVERLOADED });
    await expect(run("echo")).rejects.toMatchObject({ reason: Reason.OVERLOADED });
  });

  it("reports the error output of its program when it cannot start", async () => {
    open({ program: new URL("./no-such-program.ts", import.meta.url) });
    await expect(run("echo")).rejects.toThrow(/no-such-program/);
  });
});
