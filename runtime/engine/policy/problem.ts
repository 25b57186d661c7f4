// Problems of a policy document: all at once, each with its position in the source and what was expected.

/**
 * Every kind of problem, and what it is about. For programs: messages may be reworded, codes are not. They are the values
 * of ProblemCode in the interface, with the same words.
 */
export const problemKinds = {
  syntax: "The text is neither YAML nor JSON, or uses of YAML what a document may not: a tag, a key that is no string.",
  too_large: "The document is larger, deeper or has more keys and values than a document may.",
  duplicate_key: "An object has a key twice.",
  wrong_type: "A value of another type is expected.",
  missing_key: "A key that an object must have is missing. It is about the object.",
  unknown_key: "There is no such key here.",
  unsupported_key: "A key that is reserved, and not supported yet.",
  invalid_value: "Another value is expected, one of those that the message lists.",
  invalid_format: "A text or a name does not have the form that it must have.",
  invalid_date: "A date that does not exist.",
  out_of_range: "A number, a length or a count is too small or too large.",
  duplicate_item: "A list that must not repeat itself has an item twice.",
  duplicate_name: "Two rules, exemptions, tests or policies have one name.",
  unusable_pack: "A guard pack that is extended is not available, not valid, or may not be extended here.",
  invalid_parameter: "A parameter of a guard pack has a value that the pack does not take.",
  unknown_parameter: "A guard pack has no such parameter.",
  unused_parameter: "A guard pack has a parameter to which its policy never refers.",
  unknown_detector: "Neither the policy nor the catalog has a detector of this name.",
  invalid_detector: "A detector lacks a parameter, or has one that it does not take.",
  repeated_detector: "A rule that needs several detectors lists one twice.",
  unused_detector: "No rule uses a detector.",
  too_many_patterns: "The policy has more patterns without a required literal than a bundle takes.",
  unknown_entity: "A detector has no such entity.",
  unknown_category: "A detector has no such category.",
  unknown_rule: "The policy has no rule of this id.",
  unknown_list: "There is no list of this name.",
  unknown_backend: "The organization has no detector backend of this key.",
  unknown_policy: "A file of tests is about a policy that is not there.",
  invalid_condition: "A condition is not an expression of the condition language, or has the wrong type.",
  condition_too_expensive: "A condition could cost more than is allowed.",
  misplaced_variable:
    "A condition reads a variable that does not exist where it stands, such as `finding` without a detector.",
  divided_condition: "A condition on `finding` in a rule that needs several detectors holds for each of them.",
  empty_rule: "A rule has neither a detector nor a condition.",
  invalid_redaction: "A rule replaces text in a way that cannot be.",
  no_effect: "A setting or a rule that has no effect.",
  expired: "An exemption or a shadow mode that has ended.",
  unreachable_rule: "A rule that can never match.",
  needless_rule: "A rule that never decides, because another one always does.",
  unmatched_exemption: "An exemption names rules that do not exist.",
  locked_rules: "An exemption names only rules that their pack has locked.",
  invalid_test: "A test does not send what a test must send, or expects what it cannot have.",
  no_tests: "The policy has no tests.",
  scope_mismatch: "The document's `match` leaves nothing of the policy's scope.",
} as const;

/** A kind of problem. */
export type ProblemCode = keyof typeof problemKinds;

/** An error or a warning about a policy document. */
export interface PolicyProblem extends SourceRange {
  readonly code: ProblemCode;
  /** Path in the document, such as "rules[0].action". */
  readonly path: string;
  readonly message: string;
  /** A likely correction. */
  readonly suggestion?: string;
  readonly severity: "error" | "warning";
}

/**
 * A position in the source text. Both count from 1, columns in UTF-16 code units; 0 when the document did not come as
 * text.
 */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** A part of the source text. It begins at line and column; the end is the position after its last character. */
export interface SourceRange extends SourcePosition {
  readonly endLine: number;
  readonly endColumn: number;
}

/** A part of a string, in UTF-16 code units; `end` is the offset after it. */
export interface TextPart {
  readonly start: number;
  readonly end: number;
}

/** The range in a document that did not come as text. */
export const nowhere: SourceRange = { line: 0, column: 0, endLine: 0, endColumn: 0 };

/** The range between two positions. */
export function rangeBetween({ line, column }: SourcePosition, end: SourcePosition): SourceRange {
  return { line, column, endLine: end.line, endColumn: end.column };
}

/** Thrown when a policy with errors is to be used. */
export class PolicyInvalid extends Error {
  override readonly name = "PolicyInvalid";
  readonly policy: string;
  readonly problems: readonly PolicyProblem[];

  constructor(policy: string, problems: readonly PolicyProblem[]) {
    const first = problems.find(({ severity }) => severity === "error");
    super(
      `policy ${policy} is not valid: ${first === undefined ? "unknown problem" : `${first.path}: ${first.message}`}`,
    );
    this.policy = policy;
    this.problems = problems;
  }
}

const maxProblems = 200;

/** Collects problems while a document is read. */
export class Problems {
  readonly #all: PolicyProblem[] = [];
  readonly #misshapen: string[] = [];

  /** Adds an error. */
  error(code: ProblemCode, range: SourceRange, path: string, message: string, suggestion?: string): void {
    const more = suggestion === undefined ? {} : { suggestion };
    this.#add({ code, ...range, path, message, ...more, severity: "error" });
  }

  /** Adds an error that leaves the value at the path without its type, so that semantic checks skip it. */
  misshape(code: ProblemCode, range: SourceRange, path: string, message: string): void {
    this.#misshapen.push(path);
    this.error(code, range, path, message);
  }

  /** True when the value at the path, or one below it, has the wrong type. */
  isMisshapen(path: string): boolean {
    return this.#misshapen.some((bad) => bad === path || bad.startsWith(`${path}.`) || bad.startsWith(`${path}[`));
  }

  /** Adds a warning. */
  warn(code: ProblemCode, range: SourceRange, path: string, message: string, suggestion?: string): void {
    const more = suggestion === undefined ? {} : { suggestion };
    this.#add({ code, ...range, path, message, ...more, severity: "warning" });
  }

  /** True when there is at least one error. */
  get hasErrors(): boolean {
    return this.#all.some(({ severity }) => severity === "error");
  }

  /** The number of problems so far. */
  get count(): number {
    return this.#all.length;
  }

  /** All problems in the order of the source. */
  list(): PolicyProblem[] {
    return [...this.#all].sort((a, b) => a.line - b.line || a.column - b.column);
  }

  #add(problem: PolicyProblem): void {
    // A hostile document must not produce an answer much larger than itself.
    if (this.#all.length >= maxProblems) return;
    this.#all.push(problem);
  }
}

/** The path of a key below another path. */
export function childPath(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

/** The option that was probably meant, or undefined. */
export function closest(word: string, options: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const option of options) {
    const distance = editDistance(word.toLowerCase(), option.toLowerCase());
    if (distance < bestDistance) {
      best = option;
      bestDistance = distance;
    }
  }
  return best;
}

/** "did you mean …?", or undefined when nothing is close. */
export function didYouMean(word: string, options: Iterable<string>): string | undefined {
  const best = closest(word, options);
  return best === undefined ? undefined : `did you mean "${best}"?`;
}

/** Optimal string alignment distance: Levenshtein with transpositions of neighbours. Long words are not compared. */
function editDistance(a: string, b: string): number {
  if (a.length > 64 || b.length > 64 || Math.abs(a.length - b.length) > 21) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let distance = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(distance);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
