// The functions, methods and macros that conditions may call: what is allowed, and what editors say about it.

import { stageNames } from "./document.ts";

/** A parameter of a function. */
interface Parameter {
  readonly name: string;
  /** Its CEL type; "expression" for what a macro evaluates for each element, "name" for the variable that holds it. */
  readonly type: string;
  /** The only texts that it takes, which have to be literals. */
  readonly texts?: readonly string[];
}

/** A function, a method or a macro. */
export interface ConditionFunction {
  readonly name: string;
  /** The CEL type whose method it is; absent for a function. "A" and "B" stand for the types of elements. */
  readonly receiver?: string;
  readonly parameters: readonly Parameter[];
  readonly result: string;
  readonly description: string;
  /** Evaluates its arguments for each element. */
  readonly isMacro?: true;
}

const value = [{ name: "value", type: "dyn" }];
const stage: Parameter = { name: "stage", type: "string", texts: stageNames };
const trust: Parameter = { name: "trust", type: "string", texts: ["trusted", "untrusted"] };

function macro(name: string, result: string, description: string, body = "predicate"): ConditionFunction {
  const parameters = [
    { name: "element", type: "name" },
    { name: body, type: "expression" },
  ];
  return { name, receiver: "list<A>", parameters, result, description, isMacro: true };
}

function ofText(name: string, taken: readonly string[], result: string, description: string): ConditionFunction {
  const parameters = taken.map((each) => ({ name: each, type: /^(?:start|end)$/.test(each) ? "int" : "string" }));
  return { name, receiver: "string", parameters, result, description };
}

const sizes = ["string", "list<A>", "map<A, B>"].map((receiver): ConditionFunction => {
  const description = receiver === "string" ? "The number of code points." : "The number of its entries.";
  return { name: "size", receiver, parameters: [], result: "int", description };
});

/** All of them, in the order in which messages list them. */
export const conditionFunctions: readonly ConditionFunction[] = [
  {
    name: "has",
    parameters: [{ name: "field", type: "dyn" }],
    result: "bool",
    description: "Whether there is such a field, as in has(tool.args.to).",
  },
  {
    name: "size",
    parameters: value,
    result: "int",
    description: "The number of code points of a text, or of the entries of a list or map.",
  },
  { name: "int", parameters: value, result: "int", description: "The value as a whole number." },
  { name: "double", parameters: value, result: "double", description: "The value as a number with fractions." },
  { name: "string", parameters: value, result: "string", description: "The value as a text." },
  { name: "bool", parameters: value, result: "bool", description: "The value as true or false." },
  {
    name: "dyn",
    parameters: value,
    result: "dyn",
    description: "The value without a type, which is then checked when the condition runs.",
  },
  macro("all", "bool", "Whether the predicate holds for every element."),
  macro("exists", "bool", "Whether the predicate holds for an element."),
  macro("exists_one", "bool", "Whether the predicate holds for exactly one element."),
  macro("map", "list<dyn>", "The list of what the expression makes of each element.", "expression"),
  macro("filter", "list<A>", "The elements for which the predicate holds."),
  ...sizes,
  ofText("startsWith", ["prefix"], "bool", "Whether the text begins with the prefix."),
  ofText("endsWith", ["suffix"], "bool", "Whether the text ends with the suffix."),
  ofText("contains", ["part"], "bool", "Whether the part is in the text."),
  ofText("lowerAscii", [], "string", "The text in lower case, letters beyond ASCII included."),
  ofText("upperAscii", [], "string", "The text in upper case, letters beyond ASCII included."),
  ofText("trim", [], "string", "The text without white space at its ends."),
  ofText("indexOf", ["part"], "int", "Where the part first is, in UTF-16 code units; -1 where it is not."),
  ofText("lastIndexOf", ["part"], "int", "Where the part last is, in UTF-16 code units; -1 where it is not."),
  ofText("substring", ["start", "end"], "string", "The part between two offsets in UTF-16 code units."),
  ofText("matches", ["pattern"], "bool", "Whether the RE2 pattern, a literal, matches somewhere in the text."),
  {
    name: "saw",
    receiver: "Session",
    parameters: [stage, trust],
    result: "bool",
    description: "Whether text of the stage, and of the trust if it is given, has passed in the session.",
  },
  {
    name: "found",
    receiver: "Session",
    parameters: [{ name: "glob", type: "string" }],
    result: "int",
    description: "How many findings of the session have a category that matches the glob.",
  },
];
