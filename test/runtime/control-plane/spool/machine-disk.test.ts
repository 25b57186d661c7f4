import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDisk } from "../../../../runtime/control-plane/spool/disk.ts";
import { openSpool } from "../../../../runtime/control-plane/spool/spool.ts";
import { clock, drain, fill, range, segmentBytes } from "./filled.ts";

describe("the machine's own disk", () => {
  async function temporaryFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "policy-guard-spool-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  it("holds a spool through restarts, drops and acknowledgements", async () => {
    const folder = await temporaryFolder();
    const at = { folder: join(folder, "new"), clock, segmentBytes, maxBytes: 5 * segmentBytes, mode: "fast" } as const;
    const spool = await openSpool(at);
    fill(spool, 75);
    expect((await drain(spool)).seqs).toEqual(range(31, 75));
    spool.acknowledge(50);
    await spool.close();
    expect((await readdir(at.folder)).sort()).toEqual([
      ...[51, 61, 71].map((seq) => `${String(seq).padStart(16, "0")}.v1.spool`),
      "boots.json",
      "cursor",
    ]);
    const again = await openSpool(at);
    expect(await drain(again)).toEqual({ seqs: range(51, 75), gaps: [] });
    await again.close();
  });

  it("reads on while segments are dropped under the reader", async () => {
    const folder = await temporaryFolder();
    const spool = await openSpool({ folder, clock, segmentBytes, maxBytes: 3 * segmentBytes, mode: "fast" });
    let last = 0;
    for (let round = 0; round < 200; round++) {
      const reading = spool.read(last + 1, { maxRecords: 5, maxBytes: 1 << 20 });
      fill(spool, 9);
      const item = await reading;
      if (item === undefined) continue;
      expect(item.firstSeq).toBe(last + 1);
      last = item.lastSeq;
    }
    expect(last).toBeGreaterThan(200);
    expect(spool.status().problems).toEqual({});
    await spool.close();
  });

  it("has every record whose append had returned when its process is killed", async () => {
    const folder = await temporaryFolder();
    const module = new URL("../../../../runtime/control-plane/spool/spool.ts", import.meta.url).href;
    const script = `
      const { openSpool } = await import(${JSON.stringify(module)});
      const spool = await openSpool({ folder: process.argv[1], mode: "fast", clock: { now: () => new Date() }, segmentBytes: 65536, maxBytes: 1 << 26 });
      const { writeSync } = await import("node:fs");
      for (;;) {
        for (let i = 0; i < 50; i++) {
          const seq = spool.append(Buffer.alloc(300, 1));
          writeSync(1, seq + "\\n");
        }
        await new Promise((resolve) => setImmediate(resolve));
      }`;
    let last = 0;
    for (let round = 0; round < 4; round++) {
      const child = spawn(process.execPath, ["--input-type=module", "-e", script, folder], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let output = "";
      child.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        if (output.length > 5000 * (round + 1)) child.kill("SIGKILL");
      });
      await once(child, "close");
      const said = output.split("\n").slice(0, -1).map(Number);
      expect(said[0]).toBe(last + 1);
      last = said.at(-1) ?? last;
      const spool = await openSpool({ folder, mode: "fast", clock, segmentBytes: 65536, maxBytes: 1 << 26 });
      // One more may be there: appended, and killed before it was said.
      const present = spool.depth();
      expect(present - last).toBeGreaterThanOrEqual(0);
      expect(present - last).toBeLessThanOrEqual(1);
      last = present;
      expect(spool.gaps()).toEqual([]);
      await spool.close();
    }
    const disk = openDisk(folder);
    expect((await disk.list()).length).toBeGreaterThan(1);
  });
});
