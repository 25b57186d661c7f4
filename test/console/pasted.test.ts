import { expect, test } from "vitest";
import { pastedFile } from "../../console/page/dataset/pasted.ts";

test("what is pasted becomes a file of the format that it has", async () => {
  const named = (text: string) => pastedFile([], text)?.name;
  expect(['{"text": "a"}\n{"text": "b"}', '[{"text": "a"}]', "text,labels\na,b"].map(named)).toEqual([
    ...["pasted.jsonl", "pasted.json", "pasted.csv"],
  ]);
  expect(await pastedFile([], "text\nä")?.text()).toBe("text\nä");
});

test("a pasted file goes before its text, and nothing is no file", () => {
  const file = new File(["text"], "samples.csv");
  expect(pastedFile([file], "samples.csv")).toBe(file);
  expect(pastedFile([], " \n")).toBeUndefined();
});
