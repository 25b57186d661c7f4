import type { JsonObject } from "@bufbuild/protobuf";
import type { Detection, Scanner } from "../../../../runtime/engine/detectors/detector.ts";
import { compileDetectors } from "../../../../runtime/engine/scan/scanner.ts";

const scanners = new Map<string, Scanner>();

/** The detections of one detector in one text. */
export function scan(use: string, text: string, parameters: JsonObject = {}): readonly Detection[] {
  const key = JSON.stringify([use, parameters]);
  const scanner = scanners.get(key) ?? compileDetectors([{ key: use, use, parameters }]);
  scanners.set(key, scanner);
  return scanner.scan(text).get(use) ?? [];
}

/** The texts that one detector finds. */
export function found(use: string, text: string, parameters: JsonObject = {}): string[] {
  return scan(use, text, parameters).map(({ start, end }) => text.slice(start, end));
}
