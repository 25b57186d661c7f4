import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lastLines, rotateLogs, sizeOf } from "../../../scripts/supervisor/log-file.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "log-"));
  file = join(folder, "part.log");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a log that is too large moves aside, and its writer goes on at the new end", () => {
  const writer = openSync(file, "a");
  writeSync(writer, "x".repeat(100));
  rotateLogs(folder, 50);
  writeSync(writer, "next");
  closeSync(writer);
  expect(readFileSync(file, "utf8")).toBe("next");
  expect(readFileSync(`${file}.1`, "utf8")).toBe("x".repeat(100));
});

test("a log that is too large is emptied when the disk has no room for a copy", () => {
  writeFileSync(file, "x".repeat(100));
  rotateLogs(folder, 50, () => {
    throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  });
  expect(readFileSync(file, "utf8")).toBe("");
});

test("a log that cannot be moved stays, and does not affect another", () => {
  writeFileSync(file, "x".repeat(100));
  mkdirSync(`${file}.1`);
  const other = join(folder, "quiet.log");
  writeFileSync(other, "y".repeat(100));
  rotateLogs(folder, 50);
  expect(readFileSync(file, "utf8")).toHaveLength(100);
  expect(readFileSync(`${other}.1`, "utf8")).toHaveLength(100);
});

test("a small log stays", () => {
  writeFileSync(file, "small");
  rotateLogs(folder, 50);
  expect(readFileSync(file, "utf8")).toBe("small");
});

test("the last lines are those of this start, and structured lines are printed as sentences", () => {
  writeFileSync(file, "of yesterday\n");
  const fromByte = sizeOf(file);
  appendFileSync(file, `{"level":50,"msg":"cannot listen","err":{"message":"port in use"}}\nplain\n`);
  expect(lastLines(file, fromByte)).toBe("  cannot listen: port in use\n  plain");
});
