import { expect, test } from "vitest";
import { safeName } from "../../console/data/file-name.ts";

test.each([
  ["support.jsonl", "support.jsonl"],
  ["../../.ssh/authorized_keys", "ssh-authorized_keys"],
  ["a\\b:c.csv", "a-b-c.csv"],
  ["invoice\u202efdp.exe", "invoice-fdp.exe"],
  ["<img onerror=x>.csv", "img onerror-x-.csv"],
  ["...", "download"],
])("a download called %j is saved as %j", (given, saved) => {
  expect(safeName(given)).toBe(saved);
});
