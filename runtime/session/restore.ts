// Replaces placeholders of redactions by their originals. Only originals that the session itself had redacted come
// back.

import { create } from "@bufbuild/protobuf";
import { Reason } from "../../gen/policyguard/common/v1/reason_pb.ts";
import {
  type RestorePlaceholdersRequest,
  type RestorePlaceholdersResponse,
  RestorePlaceholdersResponseSchema,
} from "../../gen/policyguard/runtime/v1/evaluation_service_pb.ts";
import { Fault, validationFailed } from "../../src/kit/fault/fault.ts";
import type { SessionStore } from "./session-store.ts";

const placeholderPattern = /\[[A-Z0-9_]{1,80}_\d{1,9}\]/g;
/** Max text of an answer, in UTF-16 code units: a short placeholder may stand for a long original. */
const maxRestoredUnits = 4 * 1024 * 1024;
const maxUnknown = 100;

/** The texts of a request with their originals. */
export function restorePlaceholders(
  request: RestorePlaceholdersRequest,
  sessions: SessionStore,
  nowMs: number,
): RestorePlaceholdersResponse {
  const { sessionId, text, segments } = request;
  if (text === undefined && segments.length === 0) {
    throw validationFailed([{ field: "text", message: "expected text or segments" }]);
  }
  const originals = sessions.originals(sessionId, nowMs);
  if (originals === undefined) throw new Fault(Reason.NOT_FOUND, "this runtime keeps nothing for the session");
  const restoring = new Restoring(originals);
  const restored = {
    text: text === undefined ? undefined : restoring.of(text),
    segments: segments.map((segment) => ({ id: segment.id, text: restoring.of(segment.text) })),
  };
  return create(RestorePlaceholdersResponseSchema, {
    ...restored,
    restored: restoring.count,
    unknown: [...restoring.unknown],
  });
}

class Restoring {
  readonly #originals: ReadonlyMap<string, string>;
  readonly unknown = new Set<string>();
  count = 0;
  #units = 0;

  constructor(originals: ReadonlyMap<string, string>) {
    this.#originals = originals;
  }

  of(text: string): string {
    this.#units += text.length;
    this.#check();
    return text.replace(placeholderPattern, (placeholder) => {
      const original = this.#originals.get(placeholder);
      if (original === undefined) {
        if (this.unknown.size < maxUnknown) this.unknown.add(placeholder);
        return placeholder;
      }
      this.count++;
      this.#units += original.length - placeholder.length;
      this.#check();
      return original;
    });
  }

  #check(): void {
    if (this.#units <= maxRestoredUnits) return;
    throw new Fault(Reason.TOO_LARGE, `the text with its originals is longer than ${maxRestoredUnits} characters`);
  }
}
