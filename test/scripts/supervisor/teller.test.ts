import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createTeller } from "../../../scripts/supervisor/teller.ts";

let folder: string;
const log = vi.spyOn(console, "log").mockImplementation(() => undefined);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "policy-guard-teller-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
  log.mockClear();
});

it("says a line in the terminal and in the file", () => {
  const file = join(folder, "supervisor.log");
  const tell = createTeller(file);
  tell("worker ended");
  tell("worker is back");
  expect(log.mock.calls).toEqual([["worker ended"], ["worker is back"]]);
  expect(readFileSync(file, "utf8")).toMatch(/^\d{4}-\S+Z worker ended\n\d{4}-\S+Z worker is back\n$/);
});

it("says it in the terminal when the disk of the file is full", () => {
  createTeller("/dev/full")("worker ended");
  expect(log.mock.calls).toEqual([["worker ended"]]);
});
