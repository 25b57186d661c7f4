// Detects the language of a request that says "auto": the language of the latest text that a person wrote.

import type { EvaluateRequest } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Trust } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { languageOf } from "../decide/fact-sheet.ts";
import { identify } from "../detectors/language/identify.ts";
import type { TextSegment } from "../segment/segment.ts";

/** More text than this does not improve detection, and costs time. */
const maxUnits = 1_024;
/** Minimum certainty for naming a language. A wrong language only selects another message. */
const minScore = 0.5;
/** The tag for text whose language cannot be determined. */
const undetermined = "und";

/**
 * The language that a request states, or the language of its text when the request says "auto"; undefined when it is
 * unknown.
 */
export function knownLanguage(request: EvaluateRequest, segments: readonly TextSegment[]): string | undefined {
  if (request.language !== "auto") return languageOf(request);
  const written = segments.filter(({ isArgument, text }) => !isArgument && text !== "");
  const own = written.findLast(({ role }) => role === "user");
  const { text } = own ?? written.findLast(({ trust }) => trust !== Trust.TRUSTED) ?? written.at(-1) ?? { text: "" };
  const found = identify(text, 0, Math.min(text.length, maxUnits));
  if (found === undefined || found.score < minScore || found.language === undetermined) return undefined;
  return found.language;
}
