// The kinds of problems of a policy document, for programs: messages may be reworded, codes are not. They are the values
// of ProblemCode in the interface, with the same words.

/** Every kind of problem, and what it is about. */
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
