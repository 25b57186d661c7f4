// A policy that does nothing but ask one detector.

import type { JsonObject } from "@bufbuild/protobuf";
import { en } from "../../text/en.ts";

/** The document of such a policy. */
export function trialOf(detector: string, parameters: JsonObject): string {
  return JSON.stringify({
    apiVersion: "policyguard/v1",
    kind: "Policy",
    metadata: { name: "trial" },
    detectors: { tried: { ...parameters, use: detector } },
    rules: [{ id: "found", stages: ["input"], detect: "tried", action: "FLAG" }],
  });
}

/** Parameters as somebody types them: a JSON object, or nothing. */
export function parseParameters(
  text: string,
): { readonly parameters: JsonObject; readonly fault?: undefined } | { readonly fault: string } {
  if (text.trim() === "") return { parameters: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { parameters: value as JsonObject };
  } catch {
    // Said below.
  }
  return { fault: en.detectors.noObject };
}
