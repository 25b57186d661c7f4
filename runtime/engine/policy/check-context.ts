// The context that the semantic checks of a document share.

import type { DetectorDefinition } from "../detectors/detector.ts";
import type { PolicyDocument } from "./document.ts";
import type { Extension } from "./extend.ts";
import type { Problems } from "./problem.ts";
import type { Reporter } from "./reporter.ts";
import type { SourceNode } from "./source-tree.ts";

/** The inputs of the checks besides the document. */
export interface CheckContext {
  readonly definitions: ReadonlyMap<string, DetectorDefinition>;
  readonly extension: Extension;
  /** The document belongs to a guard pack. */
  readonly isPack: boolean;
  /** The current time; without it nothing is reported as expired. */
  readonly now?: Date | undefined;
  /** The document is already in force: a limit that was introduced later does not make it invalid. */
  readonly isInForce: boolean;
}

/** A document that is being checked. */
export interface SemanticCheck extends CheckContext {
  readonly policy: PolicyDocument;
  readonly tree: SourceNode;
  readonly problems: Problems;
  readonly report: Reporter;
}
