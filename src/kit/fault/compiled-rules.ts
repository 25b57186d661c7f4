// Compiles the rules of fields (buf.validate) to plain functions, for messages that come so often that protovalidate
// would cost more than the work itself. A function accepts exactly the messages that protovalidate accepts; only
// protovalidate says why one is refused (validation.ts).
//
// Only the rules that such messages use are known. Any other rule makes `compileRules` throw, so that a rule that is
// added to a .proto stops the start of the process instead of being missed.

import {
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  isFieldSet,
  type Message,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  type EnumRules,
  EnumRulesSchema,
  type FieldRules,
  FieldRulesSchema,
  field as fieldOption,
  Ignore,
  type Int32Rules,
  Int32RulesSchema,
  message as messageOption,
  oneof as oneofOption,
  type RepeatedRules,
  RepeatedRulesSchema,
  type StringRules,
  StringRulesSchema,
} from "../../../gen/buf/validate/validate_pb.ts";

type Check<T> = (value: T) => boolean;

/**
 * Returns a function that says whether a message satisfies all of its rules. Throws for a rule that it does not know.
 */
export function compileRules<T extends DescMessage>(schema: T): Check<MessageShape<T>> {
  return messageCheck(schema, []) ?? (() => true);
}

/** Undefined for a message that no rule can refuse. `parents` are the messages around it. */
function messageCheck(schema: DescMessage, parents: readonly DescMessage[]): Check<Message> | undefined {
  if (!hasRules(schema, new Set())) return undefined;
  if (parents.includes(schema)) throw unknownRule(schema, "a rule of a message that contains itself");
  if (hasOption(schema, messageOption)) throw unknownRule(schema, "a rule of the message");
  if (schema.oneofs.some((oneof) => hasOption(oneof, oneofOption))) throw unknownRule(schema, "a rule of a oneof");
  const names: string[] = [];
  const checks: Check<unknown>[] = [];
  for (const field of schema.fields) {
    const check = fieldCheck(field, [...parents, schema]);
    if (check === undefined) continue;
    names.push(field.localName);
    checks.push(check);
  }
  return checks.length === 0 ? undefined : allOf(names, checks);
}

/**
 * Checks the fields that are set. The function is compiled from code that contains the names, which are identifiers of
 * generated code: to read a field by a name in a variable takes longer than most checks. For `text` and `agentId` the
 * code is:
 *
 *     ((value = message.text) === undefined || check0(value)) &&
 *     ((value = message.agentId) === undefined || check1(value))
 */
function allOf(names: readonly string[], checks: readonly Check<unknown>[]): Check<Message> {
  const terms = names.map((name, index) => `((value = message.${name}) === undefined || check${index}(value))`);
  const parameters = checks.map((_, index) => `check${index}`);
  const code = `return (message) => { let value; return ${terms.join(" && ")}; };`;
  return new Function(...parameters, code)(...checks);
}

/** Whether the message or any message within it has a rule. */
function hasRules(schema: DescMessage, seen: Set<DescMessage>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if (hasOption(schema, messageOption) || schema.oneofs.some((oneof) => hasOption(oneof, oneofOption))) return true;
  return schema.fields.some((field) => {
    if (hasOption(field, fieldOption)) return true;
    return field.message !== undefined && hasRules(field.message, seen);
  });
}

function fieldCheck(field: DescField, parents: readonly DescMessage[]): Check<unknown> | undefined {
  const rules = hasOption(field, fieldOption) ? getOption(field, fieldOption) : undefined;
  if (rules !== undefined) assertKnown(field, FieldRulesSchema, rules, ["ignore", rules.type.case ?? ""]);
  if (rules?.ignore === Ignore.ALWAYS) return undefined;
  if (rules !== undefined && rules.ignore !== Ignore.UNSPECIFIED) throw unknownRule(field, "ignore");
  const check = valueCheck(field, rules, parents);
  if (check === undefined) return undefined;
  if (field.oneof !== undefined) throw unknownRule(field, "a rule of a member of a oneof");
  return check;
}

/** Undefined when no rule can refuse the value. */
function valueCheck(
  field: DescField,
  rules: FieldRules | undefined,
  parents: readonly DescMessage[],
): Check<unknown> | undefined {
  switch (field.fieldKind) {
    case "list":
      return listCheck(field, rules, parents);
    case "message": {
      if (rules?.type.case !== undefined) throw unknownRule(field, rules.type.case);
      // The value of a field of this type is a message.
      return messageCheck(field.message, parents) as Check<unknown> | undefined;
    }
    case "map": {
      const hasRulesWithin = field.message !== undefined && hasRules(field.message, new Set());
      if (rules?.type.case !== undefined || hasRulesWithin) throw unknownRule(field, "a rule of a map");
      return undefined;
    }
    default:
      return rules && scalarCheck(field, rules);
  }
}

type ListField = DescField & { readonly fieldKind: "list" };

function listCheck(
  field: ListField,
  rules: FieldRules | undefined,
  parents: readonly DescMessage[],
): Check<unknown> | undefined {
  const type = rules?.type;
  if (type?.case !== undefined && type.case !== "repeated") throw unknownRule(field, type.case);
  const ofList: Partial<RepeatedRules> = type?.case === "repeated" ? type.value : {};
  if (type?.case === "repeated") assertKnown(field, RepeatedRulesSchema, type.value, ["max_items", "items"]);
  const { items } = ofList;
  if (items !== undefined) assertKnown(field, FieldRulesSchema, items, [items.type.case ?? ""]);
  const ofItem =
    field.listKind === "message" ? messageCheck(field.message, parents) : items && scalarCheck(field, items);
  if (items !== undefined && field.listKind === "message") throw unknownRule(field, "items");
  const isSet = type?.case === "repeated" && isFieldSet(type.value, RepeatedRulesSchema.field.maxItems);
  if (ofItem === undefined && !isSet) return undefined;
  const maxItems = isSet ? Number(ofList.maxItems) : Number.POSITIVE_INFINITY;
  return (value) => {
    // The value of a repeated field is an array of what `ofItem` takes.
    const list = value as readonly Message[];
    if (list.length > maxItems) return false;
    if (ofItem !== undefined) for (const item of list) if (!(ofItem as Check<unknown>)(item)) return false;
    return true;
  };
}

/** The check of a single value, whose type the kind of its rules tells. */
function scalarCheck(field: DescField, { type }: FieldRules): Check<unknown> | undefined {
  const { case: kind, value } = type;
  if (kind === undefined) return undefined;
  if (kind === "string") return stringCheck(field, value) as Check<unknown>;
  if (kind === "int32") return int32Check(field, value) as Check<unknown>;
  if (kind === "enum") return enumCheck(field, value) as Check<unknown>;
  throw unknownRule(field, kind);
}

// RE2 and JavaScript agree on literals, classes without escapes, groups, repetitions and anchors of the whole text.
const commonPattern = /^\^(?:[^.\\[(]|\[[^\\\]]+\]|\((?!\?))*\$$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function stringCheck(field: DescField, rules: StringRules): Check<string> {
  const names = ["min_len", "max_len", "max_bytes", "pattern", "in", "uuid", "example"];
  assertKnown(field, StringRulesSchema, rules, names);
  const { minLen, maxLen, maxBytes } = StringRulesSchema.field;
  const checks: Check<string>[] = [];
  if (isFieldSet(rules, minLen)) checks.push(minLength(Number(rules.minLen)));
  if (isFieldSet(rules, maxLen)) checks.push(maxLength(Number(rules.maxLen)));
  if (isFieldSet(rules, maxBytes)) checks.push(maxSize(Number(rules.maxBytes)));
  if (rules.wellKnown.case === "uuid" && rules.wellKnown.value) checks.push((text) => uuid.test(text));
  if (rules.pattern !== "") {
    if (!commonPattern.test(rules.pattern)) throw unknownRule(field, `the pattern ${rules.pattern}`);
    const pattern = new RegExp(rules.pattern, "u");
    checks.push((text) => pattern.test(text));
  }
  if (rules.in.length > 0) {
    const allowed = new Set(rules.in);
    checks.push((text) => allowed.has(text));
  }
  const [first = () => true, ...others] = checks;
  return others.length === 0 ? first : (text) => checks.every((check) => check(text));
}

// Lengths count code points, of which a text has at most as many as code units, and at least half as many: "é😀" has 2
// of 3 units.
function minLength(min: number): Check<string> {
  return (text) => text.length >= min && (text.length >= 2 * min || codePoints(text) >= min);
}

function maxLength(max: number): Check<string> {
  return (text) => text.length <= max || (text.length <= 2 * max && codePoints(text) <= max);
}

// A code unit takes at most three bytes of UTF-8: "😀" has two units and four bytes.
function maxSize(maxBytes: number): Check<string> {
  return (text) => text.length * 3 <= maxBytes || (text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function int32Check(field: DescField, rules: Int32Rules): Check<number> {
  assertKnown(field, Int32RulesSchema, rules, ["gte", "lte", "example"]);
  const min = rules.greaterThan.case === "gte" ? rules.greaterThan.value : Number.NEGATIVE_INFINITY;
  const max = rules.lessThan.case === "lte" ? rules.lessThan.value : Number.POSITIVE_INFINITY;
  // protovalidate takes such a pair for a range that is excluded.
  if (min > max) throw unknownRule(field, "gte above lte");
  return (value) => value >= min && value <= max;
}

function enumCheck(field: DescField, rules: EnumRules): Check<number> {
  assertKnown(field, EnumRulesSchema, rules, ["defined_only", "example"]);
  const defined = new Set(field.enum?.values.map(({ number }) => number));
  return rules.definedOnly ? (value) => defined.has(value) : () => true;
}

/** Throws for a rule that is set and is none of these. */
function assertKnown(field: DescField, schema: DescMessage, rules: Message, names: readonly string[]): void {
  const other = schema.fields.find((rule) => !names.includes(rule.name) && isFieldSet(rules, rule));
  if (other !== undefined) throw unknownRule(field, other.name);
  // Rules that a .proto defines for itself are extensions, which arrive as unknown fields.
  if (rules.$unknown !== undefined && rules.$unknown.length > 0) throw unknownRule(field, "a rule of its own");
}

function unknownRule(owner: DescField | DescMessage, rule: string): Error {
  return new Error(`${owner} has a rule that src/kit/fault/compiled-rules.ts does not know, ${rule}: add it there`);
}
