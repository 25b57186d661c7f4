import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeLockFile } from "../../../../src/kit/process/lock-file.ts";
import { processStamp } from "../../../../src/kit/process/process-stamp.ts";

describe("a lock file", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "policy-guard-lock-"));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it("is held by one process until it releases it", () => {
    const file = join(folder, "a.lock");
    const lock = takeLockFile(file);
    expect(lock).toMatchObject({ wasStale: false });
    expect(takeLockFile(file)).toEqual({ heldBy: process.pid });
    if ("release" in lock) lock.release();
    expect(takeLockFile(file)).toMatchObject({ wasStale: false });
    expect(readdirSync(folder)).toEqual(["a.lock"]);
  });

  it("needs no room on the disk", () => {
    const file = join(folder, "a.lock");
    const withoutRoom = () => {
      symlinkSync("/dev/full", `${file}.${process.pid}`);
      return takeLockFile(file);
    };
    const lock = withoutRoom();
    expect(lock).toMatchObject({ wasStale: false });
    expect(withoutRoom()).toEqual({ heldBy: process.pid });
    expect(takeLockFile(file)).toEqual({ heldBy: process.pid });
    if ("release" in lock) lock.release();
    symlinkSync(JSON.stringify({ pid: 2 ** 22 + 1, startedAt: "17" }), file);
    expect(takeLockFile(file)).toMatchObject({ wasStale: true });
    expect(readdirSync(folder)).toEqual(["a.lock"]);
  });

  it.each([
    ["a process that is gone", JSON.stringify({ pid: 2 ** 22 + 1, startedAt: "17" })],
    [
      "an earlier process with the id of a living one",
      JSON.stringify({ ...processStamp(process.pid), startedAt: "1" }),
    ],
    ["a process that died while it wrote", "{"],
  ])("left behind by %s is taken over", (_, content) => {
    const file = join(folder, "a.lock");
    writeFileSync(file, content);
    expect(takeLockFile(file)).toMatchObject({ wasStale: true });
    expect(takeLockFile(file)).toEqual({ heldBy: process.pid });
  });
});
