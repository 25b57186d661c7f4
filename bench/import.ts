// Imports of datasets: samples of 1 KB as JSONL over REST, into a control plane that is a process of its own, against a
// bare multi-row insert of the same texts, with the memory of the control plane. An operation is a megabyte, and its
// CPU time is that of whoever inserts and of the database together. `--quick` takes a fifth of the samples.

import { readFileSync } from "node:fs";
import pg from "pg";
import { newTexts } from "./load/bodies.ts";
import { importDataset, samplesOf } from "./load/datasets.ts";
import { startServer } from "./load/http.ts";
import { type Bench, cpuSecondsOf, measure, type Round } from "./measure.ts";
import type { BenchControlPlane } from "./server/control-plane.ts";
import { startBenchDatabase } from "./server/database.ts";

const rowsAtOnce = 128;
const rowsOfTransaction = 5_000;
const watchMs = 20;

/** Measures imports. */
export const importBench: Bench = async ({ isQuick }) => {
  const texts = newTexts(isQuick ? 16 : 80);
  const lines = samplesOf(texts);
  const server = await startBenchDatabase();
  const plane = await startServer<BenchControlPlane>("control-plane", server.applicationUrl);
  const owner = new pg.Client({ connectionString: server.migrationUrl });
  await owner.connect();
  try {
    await owner.query("create table bare_sample (id bigint primary key, text text not null)");
    const pid = plane.child.pid ?? 0;
    const memory = watchMemory(pid);
    let round = 0;
    const ids = { next: 0 };
    const base = "bare multi-row insert of the same texts, a megabyte";
    const rows = await measure([
      {
        name: base,
        run: () =>
          timed(
            lines.length,
            () => server.cpuSeconds() + ownCpuSeconds(),
            () => insertBare(owner, texts, ids),
          ),
      },
      {
        name: "import of JSONL over REST, a megabyte",
        against: base,
        run: () =>
          timed(
            lines.length,
            () => server.cpuSeconds() + cpuSecondsOf(pid),
            async () => {
              const { added } = await importDataset(plane.told, `round-${round++}`, lines);
              if (added !== texts.length) throw new Error(`${added} samples were added of ${texts.length}`);
            },
          ),
      },
    ]);
    const { before, most } = memory.end();
    console.log(
      `${texts.length} samples in ${(lines.length / 1e6).toFixed(1)} MB; the control plane had ${Math.round(before)} MiB ` +
        `before, and ${Math.round(most)} at most\n`,
    );
    return rows;
  } finally {
    plane.child.kill();
    await owner.end();
    await server.stop();
  }
};

async function timed(bytes: number, cpuSeconds: () => number, work: () => Promise<void>): Promise<Round> {
  const cpuBefore = cpuSeconds();
  const startedAtMs = performance.now();
  await work();
  const seconds = (performance.now() - startedAtMs) / 1000;
  return { operations: bytes / 1e6, seconds, cpuSeconds: cpuSeconds() - cpuBefore };
}

async function insertBare(owner: pg.Client, texts: readonly string[], ids: { next: number }): Promise<void> {
  for (let from = 0; from < texts.length; from += rowsOfTransaction) {
    await owner.query("begin");
    const end = Math.min(from + rowsOfTransaction, texts.length);
    for (let at = from; at < end; at += rowsAtOnce) {
      const some = texts.slice(at, Math.min(at + rowsAtOnce, end));
      const places = some.map((_, i) => `($${2 * i + 1}, $${2 * i + 2})`).join(", ");
      const values = some.flatMap((text) => [ids.next++, text]);
      await owner.query(`insert into bare_sample (id, text) values ${places}`, values);
    }
    await owner.query("commit");
  }
}

function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function watchMemory(pid: number) {
  const before = residentMegabytes(pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentMegabytes(pid));
  }, watchMs);
  return {
    end() {
      clearInterval(timer);
      return { before, most };
    },
  };
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}
