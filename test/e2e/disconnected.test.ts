// A runtime whose control plane is away.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newId } from "../../src/kit/process/id.ts";
import { eventually } from "../harness/eventually.ts";
import { createRunningClock } from "../harness/moved-clock.ts";
import { useWordGuard } from "../harness/vector/word-guard.ts";

const { home, loadedRuntime, traceOf, capture, untilTraced } = useWordGuard();

const day = 86_400_000;

describe("a runtime without its control plane", () => {
  it("goes on, keeps what it has to report, and reports it once the control plane is back", async () => {
    const runtime = await loadedRuntime();
    await eventually(async () => expect(await runtime.metric("spool_records")).toBe(0));
    await home().stopControlPlane();
    await eventually(async () => expect(await runtime.metric("reporting_stream_connected")).toBe(0));
    const ids = Array.from({ length: 40 }, newId);
    for (const [index, id] of ids.entries()) {
      const text = index % 4 === 0 ? "forbidden" : "fine";
      expect((await runtime.evaluate({ evaluation_id: id, text })).status).toBe(200);
    }
    expect(await runtime.metric("spool_records")).toBe(40);
    await home().startControlPlane();
    await eventually(async () => expect(await runtime.metric("spool_records")).toBe(0));
    const stored = await home().traceIds();
    expect(ids.filter((id) => stored.filter((found) => found === id).length !== 1)).toEqual([]);
    expect(await runtime.metric("spool_lost_total")).toBe(0);
    await runtime.stop();
  });

  it("tells exactly how many evaluations were lost when its spool was full", async () => {
    await capture("full");
    const runtime = await loadedRuntime({ env: { SPOOL_MEGABYTES: "32" } });
    await untilTraced(runtime, "small", { capture: "full" });
    await home().stopControlPlane();
    const ids = Array.from({ length: 36 }, newId);
    const text = "x".repeat(1024 * 1024);
    for (const id of ids) expect((await runtime.evaluate({ evaluation_id: id, text })).status).toBe(200);
    const lost = await runtime.metric("spool_lost_total");
    expect(lost).toBeGreaterThan(5);
    await home().startControlPlane();
    await eventually(async () => expect(await runtime.metric("spool_records")).toBe(0));
    const stored = new Set(await home().traceIds());
    // The oldest go, and none but them.
    expect(ids.map((id) => stored.has(id))).toEqual(ids.map((_, index) => index >= lost));
    const { orgId } = home().world;
    const gaps = await home().plane.database.read(orgId, (tx) =>
      tx.sql<{ reason: string; count: string }>("select reason, count from reporting_gap where org_id = ?", [orgId]),
    );
    expect(gaps.map(({ reason }) => reason)).toContain("spool_full");
    expect(gaps.reduce((sum, { count }) => sum + Number(count), 0)).toBe(lost);
    await runtime.stop();
    await capture("redacted");
  });

  it("starts from what is on its disk, reports what an earlier one left there, and gets stale by the clock", async () => {
    const clock = createRunningClock();
    const folder = home().newFolder();
    const first = await loadedRuntime({ folder, clock });
    await home().stopControlPlane();
    const id = newId();
    await first.evaluate({ evaluation_id: id, text: "forbidden" });
    await first.stop();
    const second = await home().startRuntime({ folder, clock });
    expect(await second.loaded()).toMatchObject({ confirmed_at: null });
    const { body } = await second.evaluate({ text: "forbidden" });
    expect(body).toMatchObject({ blocked: true, bundle: { stale: false } });
    await second.stop();
    clock.pass(8 * day);
    const third = await home().startRuntime({ folder, clock });
    expect((await third.evaluate({ text: "forbidden" })).body).toMatchObject({
      blocked: true,
      bundle: { stale: true },
    });
    expect(await third.metric("bundle_stale")).toBe(1);
    await third.stop();
    clock.set(new Date());
    await home().startControlPlane();
    const last = await home().startRuntime({ folder });
    expect(await traceOf(id)).toMatchObject({ id });
    await last.stop();
  });

  it("refuses a folder that another one uses", async () => {
    const folder = home().newFolder();
    const runtime = await home().startRuntime({ folder });
    await expect(home().startRuntime({ folder })).rejects.toThrow(`belongs to process ${process.pid}`);
    await runtime.stop();
    await (await home().startRuntime({ folder })).stop();
  });

  it("takes over a folder whose process was killed", async () => {
    const folder = home().newFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "runtime.lock"), JSON.stringify({ pid: process.pid, startedAt: "1" }));
    await (await home().startRuntime({ folder })).stop();
  });

  it("does not believe a bundle on its disk that was changed", async () => {
    const folder = home().newFolder();
    await (await loadedRuntime({ folder })).stop();
    await home().stopControlPlane();
    const file = join(folder, "bundle", "bundle.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(/"data":"(.)/, '"data":"A'));
    const runtime = await home().startRuntime({ folder });
    expect((await runtime.evaluate({ text: "a" })).status).toBe(503);
    expect((await runtime.loaded()).rejection).toContain("digest_mismatch");
    await runtime.stop();
    await home().startControlPlane();
  });
});
