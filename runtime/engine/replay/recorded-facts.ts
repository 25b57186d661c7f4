// Answers conditions from a record: what the record keeps is asked as in an evaluation, what it does not keep by the
// values that were recorded, and parts are joined by Kleene's rules.

import { ConditionValue } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { type ConditionFacts, FactSheet, type NamedDetection, type Question } from "../decide/fact-sheet.ts";
import type { Gap } from "../decide/match.ts";
import { and, or, type Truth } from "../decide/truth.ts";
import { conditionDigest, digestKey } from "../evaluate/record-digest.ts";
import type { Condition } from "../policy/condition.ts";
import { hasNeverValue } from "../policy/condition.ts";
import { type ConditionLeaf, type ConditionTree, type FactKind, treeOf } from "../policy/condition-tree.ts";
import type { ListDeclarations, Lists } from "../policy/list.ts";
import type { SessionView } from "../segment/session.ts";
import { emptyLedger } from "../segment/session.ts";
import { lazily } from "../text/normalize.ts";
import { Doubt, doubt } from "./doubt.ts";
import type { RecordedCase } from "./recorded-case.ts";

type Answer = Truth<Doubt> | Gap["reason"];

/** Lets conditions read a session, so that those which do fail where they are asked and not before. */
const someSession: SessionView = { known: true, ledger: emptyLedger };

/** The facts of a record. */
export class RecordedFacts implements ConditionFacts<Doubt> {
  readonly #case: RecordedCase;
  readonly #environment: string;
  readonly #sheet: () => FactSheet;
  readonly #values = new Map<string, ConditionValue>();

  constructor(recorded: RecordedCase, environment: string) {
    this.#case = recorded;
    this.#environment = environment;
    const { pieces, record } = recorded;
    const about = { stage: record.stage, env: environment, session: someSession };
    this.#sheet = lazily(() => new FactSheet(recorded.request, pieces, about));
    for (const { digest, piece, signal, value } of record.conditions)
      this.#values.set(valueKey(digestKey(digest), piece, signal), value);
  }

  ask(condition: Condition, segment: number, question: Question<Doubt>): Answer {
    const { record, isBare } = this.#case;
    const { reads } = condition;
    if (reads.has("session") && !isBare && !record.sessionKnown) return "session_unknown";
    if (hasNeverValue(condition)) return "condition_too_expensive";
    // The value of the whole may have hung on the length of a list that is not recorded.
    if ((record.oversized || isBare) && (reads.has("subject") || reads.has("tool"))) return doubt("facts_missing");
    if (this.#sheet().exceedsCaps(reads, segment)) return "condition_limit";
    if (reads.has("findings")) {
      const { more } = question.findings();
      if (more !== undefined) return more;
    }
    return this.#valueOf(treeOf(condition, declarationsOf(question.lists)), segment, question);
  }

  #valueOf(tree: ConditionTree, segment: number, question: Question<Doubt>): Answer {
    if (tree.joint === "") return this.#leaf(tree, segment, question);
    const join = tree.joint === "&&" ? and<Doubt> : or<Doubt>;
    const decisive = tree.joint === "||";
    let truth: Truth<Doubt> = !decisive;
    let failure: Gap["reason"] | undefined;
    for (const part of tree.parts) {
      const value = this.#valueOf(part, segment, question);
      if (value === decisive) return decisive;
      // A limit is one of the condition as a whole.
      if (value === "condition_limit") return value;
      if (typeof value === "string") failure = value;
      else truth = join(truth, value);
    }
    return typeof truth === "boolean" && failure !== undefined ? failure : truth;
  }

  #leaf(leaf: ConditionLeaf, segment: number, question: Question<Doubt>): Answer {
    const { finding } = question;
    const readsFinding = leaf.condition.reads.has("finding");
    if (readsFinding && finding instanceof Doubt) return finding;
    const about = readsFinding && finding !== undefined && !(finding instanceof Doubt) ? finding : undefined;
    if (about !== undefined && this.#case.isShifted(about.detection)) return doubt("text_redacted");
    if (!this.#isUnknown(leaf, segment, about, question)) return this.#known(leaf.condition, segment, question, about);
    const signal = about === undefined ? undefined : this.#case.signalOf(about.detection);
    if (about !== undefined && signal === undefined) return missing(leaf);
    const setting = { lists: question.lists, environment: this.#environment, detector: about?.detector ?? "" };
    const digest = digestKey(conditionDigest(leaf, setting));
    switch (this.#values.get(valueKey(digest, segment, signal))) {
      case ConditionValue.TRUE:
        return true;
      case ConditionValue.FALSE:
        return false;
      case ConditionValue.NONE:
        return "condition_error";
      default:
        return missing(leaf);
    }
  }

  #known(
    condition: Condition,
    segment: number,
    question: Question<Doubt>,
    finding: NamedDetection | undefined,
  ): Answer {
    const findings = () => ({ all: question.findings().all, more: undefined });
    return this.#sheet().ask(condition, segment, { ...question, findings, finding });
  }

  #isUnknown(
    { kinds, condition: { reads } }: ConditionLeaf,
    segment: number,
    finding: NamedDetection | undefined,
    question: Question<Doubt>,
  ): boolean {
    const isUnknown = (kind: FactKind): boolean => {
      switch (kind) {
        case "text":
          return this.#case.texts[segment]?.whole === undefined;
        case "attribute":
          return (
            (finding !== undefined && !this.#case.isScanned(finding.detection)) ||
            (reads.has("findings") && question.findings().all.some((each) => !this.#case.isScanned(each.detection)))
          );
        case "origin":
        case "language":
          return this.#case.isBare;
        default:
          return true;
      }
    };
    return [...kinds].some(isUnknown);
  }
}

function missing({ kinds }: ConditionLeaf): Doubt {
  return doubt(kinds.has("session") ? "session_missing" : "facts_missing");
}

function valueKey(digest: string, piece: number, signal: number | undefined): string {
  return `${digest}/${piece}/${signal ?? ""}`;
}

const declared = new WeakMap<Lists, ListDeclarations>();

/** Declarations of lists as they are resolved: for compiling parts, only their names and lengths count. */
function declarationsOf(lists: Lists): ListDeclarations {
  const known =
    declared.get(lists) ?? Object.fromEntries(Object.entries(lists).map(([name, items]) => [name, [...items]]));
  declared.set(lists, known);
  return known;
}
