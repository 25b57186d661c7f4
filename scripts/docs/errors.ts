import { readFileSync } from "node:fs";
import { Code } from "@connectrpc/connect";
import { reasonRules } from "../../src/kit/fault/fault.ts";
import { code, table } from "./table.ts";

/** One entry of the catalogue in the OpenAPI document, which has the comments that descriptors lack. */
interface DescribedCode {
  readonly const: string;
  readonly description: string;
}

/** The catalogue of failures, by status. */
export function errorTable(): string {
  const meanings = new Map(describedCodes().map((entry) => [entry.const, entry.description]));
  const rows = reasonRules()
    .toSorted((a, b) => a.httpStatus - b.httpStatus)
    .map((rule) => [
      String(rule.httpStatus),
      code(rule.error),
      code(codeName(rule.code)),
      (meanings.get(rule.error) ?? "").replace(/^Status \d+\. /, "").replaceAll("\n", " "),
    ]);
  return table(["status", "`detail.error`", "Connect code", "meaning"], rows);
}

function describedCodes(): DescribedCode[] {
  const document = JSON.parse(readFileSync(new URL("../../gen/rest/openapi.json", import.meta.url), "utf8"));
  return document.components.schemas.ErrorCode.anyOf[0].oneOf;
}

function codeName(value: Code): string {
  return Code[value].replace(/(?<!^)[A-Z]/g, "_$&").toLowerCase();
}
