// Completion and hover within conditions, by the vocabulary that the server sends: variables, the fields and methods of
// whatever stands before a point, and the names that macros give to elements.

import { type Completion, snippetCompletion } from "@codemirror/autocomplete";

/** A name with its CEL type. */
interface Typed {
  readonly name: string;
  readonly type: string;
  readonly description: string;
}

/** A function, method or macro. */
interface Callable {
  readonly name: string;
  /** The type whose method it is; empty for a function. */
  readonly receiver: string;
  readonly parameters: readonly { readonly name: string; readonly type: string; readonly texts: readonly string[] }[];
  readonly result: string;
  readonly description: string;
  readonly isMacro: boolean;
}

/** What conditions may be written with. */
export interface Vocabulary {
  readonly variables: readonly Typed[];
  readonly types: readonly { readonly name: string; readonly fields: readonly Typed[] }[];
  readonly functions: readonly Callable[];
}

/** A condition, and the names of the lists of its document. */
export interface ConditionText {
  readonly text: string;
  readonly lists: readonly string[];
}

/** What may be written at an offset of a condition, and where the word begins that is being written. */
export function completeCondition(
  vocabulary: Vocabulary,
  { text, lists }: ConditionText,
  offset: number,
): { readonly from: number; readonly options: readonly Completion[] } | undefined {
  const tokens = tokensOf(text.slice(0, offset));
  const last = tokens.at(-1);
  const reader = new Reader(vocabulary, lists, tokens);
  if (last?.kind === "open") {
    const texts = reader.textsAt(tokens.length - 1);
    return texts.length === 0 ? undefined : { from: last.from + 1, options: texts.map(textOption) };
  }
  const isWord = last?.kind === "name" && last.to === offset;
  const end = isWord ? tokens.length - 1 : tokens.length;
  const from = isWord ? last.from : offset;
  if (last?.kind === "number" && last.to === offset) return undefined;
  const options = tokens[end - 1]?.text === "." ? reader.members(end - 1) : reader.names(end);
  return options.length === 0 ? undefined : { from, options };
}

/** What the vocabulary says about the word at an offset. */
export function describeInCondition(
  vocabulary: Vocabulary,
  { text, lists }: ConditionText,
  offset: number,
): { readonly from: number; readonly to: number; readonly text: string } | undefined {
  const tokens = tokensOf(text);
  const at = tokens.findIndex(({ kind, from, to }) => kind === "name" && from <= offset && offset <= to);
  const word = tokens[at];
  if (word === undefined) return undefined;
  const said = new Reader(vocabulary, lists, tokens).describe(at);
  return said === undefined ? undefined : { from: word.from, to: word.to, text: said };
}

interface Token {
  /** "open" is a text whose end is missing. */
  readonly kind: "name" | "number" | "text" | "open" | "sign";
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

const pattern = /[A-Za-z_]\w*|\d[\w.]*|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^\s\w]/g;

function tokensOf(text: string): Token[] {
  return [...text.matchAll(pattern)].map(({ 0: found, index: from }) => ({
    ...{ kind: kindOf(found), text: found, from, to: from + found.length },
  }));
}

function kindOf(text: string): Token["kind"] {
  if (/^["']/.test(text)) return /^(["'])(?:[^\\]|\\.)*\1$/.test(text) && text.length > 1 ? "text" : "open";
  if (/^\d/.test(text)) return "number";
  return /^\w/.test(text) ? "name" : "sign";
}

/** A CEL type, such as list<string>. */
interface Type {
  readonly name: string;
  readonly of: readonly Type[];
}

function typeOf(text: string): Type {
  const [, name = text, inner] = /^(\w+)<(.+)>$/.exec(text) ?? [];
  return { name, of: inner === undefined ? [] : splitTypes(inner).map(typeOf) };
}

/** The parts of "string, list<string>". */
function splitTypes(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const letter of text) {
    depth += letter === "<" ? 1 : letter === ">" ? -1 : 0;
    if (letter === "," && depth === 0) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${letter}`);
  }
  return parts.map((part) => part.trim());
}

const openings: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
const dyn: Type = { name: "dyn", of: [] };

/** Reads the expressions that end at a token, backwards, since what follows is still being written. */
class Reader {
  readonly #words: Vocabulary;
  readonly #lists: readonly string[];
  readonly #tokens: readonly Token[];

  constructor(words: Vocabulary, lists: readonly string[], tokens: readonly Token[]) {
    this.#words = words;
    this.#lists = lists;
    this.#tokens = tokens;
  }

  /** Variables, functions and names of elements, for a word that would be this token. */
  names(end: number): Completion[] {
    return [
      ...[...this.#bound(end)].map(([label, type]) => ({ label, type: "variable", detail: nameOf(type), boost: 2 })),
      ...this.#words.variables.map(({ name, type, description }) => ({
        ...{ label: name, type: "variable", detail: type, info: description, boost: 1 },
      })),
      ...this.#words.functions.filter(({ receiver }) => receiver === "").map(callOption),
    ];
  }

  /** Fields and methods of what stands before the point. */
  members(point: number): Completion[] {
    if (this.#isLists(point - 1))
      return this.#lists.map((label) => ({ label, type: "property", detail: "list<string>" }));
    const type = this.#typeBefore(point);
    if (type === undefined) return [];
    return [
      ...this.#fieldsOf(type).map(({ name, type: detail, description }) => ({
        ...{ label: name, type: "property", detail, info: description, boost: 1 },
      })),
      ...this.#methodsOf(type).map(callOption),
    ];
  }

  /** The texts that the argument may be of which this token is the beginning. */
  textsAt(at: number): readonly string[] {
    const call = this.#callAround(at);
    if (call === undefined) return [];
    const [callable] = this.#callables(call.name);
    return callable?.parameters[call.argument]?.texts ?? [];
  }

  describe(at: number): string | undefined {
    const word = this.#tokens[at]?.text ?? "";
    if (this.#tokens[at - 1]?.text === ".") {
      const type = this.#typeBefore(at - 1);
      if (type === undefined) return undefined;
      const field = this.#fieldsOf(type).find(({ name }) => name === word);
      const method = this.#methodsOf(type).find(({ name }) => name === word);
      return field === undefined ? method && saidOf(method) : `${field.type}. ${field.description}`;
    }
    const element = this.#bound(at).get(word);
    if (element !== undefined) return nameOf(element);
    const variable = this.#words.variables.find(({ name }) => name === word);
    if (variable !== undefined) return `${variable.type}. ${variable.description}`;
    const callable = this.#words.functions.find(({ name, receiver }) => name === word && receiver === "");
    return callable && saidOf(callable);
  }

  #isLists(at: number): boolean {
    return this.#tokens[at]?.text === "lists" && this.#tokens[at - 1]?.text !== "." && !this.#bound(at).has("lists");
  }

  #fieldsOf({ name }: Type): readonly Typed[] {
    return this.#words.types.find((each) => each.name === name)?.fields ?? [];
  }

  #methodsOf(type: Type): readonly Callable[] {
    const own = this.#words.functions.filter(
      ({ receiver }) => receiver !== "" && (type.name === "dyn" || typeOf(receiver).name === type.name),
    );
    // A value without a type is none of ours.
    const fitting = type.name === "dyn" ? own.filter(({ receiver }) => !this.#isOurs(receiver)) : own;
    return [...new Map(fitting.map((each) => [each.name, each])).values()];
  }

  #isOurs(type: string): boolean {
    return this.#words.types.some(({ name }) => name === type);
  }

  /** The type of the expression that ends before this token. */
  #typeBefore(end: number): Type | undefined {
    const last = this.#tokens[end - 1];
    if (last === undefined) return undefined;
    if (last.kind === "text") return typeOf("string");
    if (last.kind === "name") return this.#typeOfName(end - 1);
    if (last.text === ")") return this.#typeOfCall(this.#opening(end - 1));
    if (last.text === "]") return this.#typeOfElement(this.#opening(end - 1));
    return undefined;
  }

  #typeOfName(at: number): Type | undefined {
    const word = this.#tokens[at]?.text ?? "";
    if (this.#tokens[at - 1]?.text !== ".") {
      const known = this.#words.variables.find(({ name }) => name === word)?.type;
      return this.#bound(at).get(word) ?? (known === undefined ? undefined : typeOf(known));
    }
    const of = this.#typeBefore(at - 1);
    if (of === undefined || of.name === "dyn") return of;
    if (of.name === "map") return of.of[1];
    const field = this.#fieldsOf(of).find(({ name }) => name === word);
    return field && typeOf(field.type);
  }

  /** The type of a call, by its bracket. */
  #typeOfCall(bracket: number): Type | undefined {
    const name = this.#tokens[bracket - 1];
    if (name?.kind !== "name") return undefined;
    const [callable] = this.#callables(bracket - 1);
    if (callable === undefined) return undefined;
    const of = callable.receiver === "" ? undefined : this.#typeBefore(bracket - 2);
    return filledIn(typeOf(callable.result), typeOf(callable.receiver), of);
  }

  #typeOfElement(bracket: number): Type | undefined {
    const before = this.#tokens[bracket - 1];
    const isLiteral = before === undefined || (before.kind === "sign" && !/[)\]]/.test(before.text));
    if (isLiteral) return { name: "list", of: [dyn] };
    return this.#typeBefore(bracket)?.of.at(-1) ?? dyn;
  }

  /** What the name at this token may call. */
  #callables(at: number): readonly Callable[] {
    const word = this.#tokens[at]?.text;
    if (this.#tokens[at - 1]?.text !== ".")
      return this.#words.functions.filter(({ name, receiver }) => name === word && receiver === "");
    const type = this.#typeBefore(at - 1);
    return type === undefined ? [] : this.#methodsOf(type).filter(({ name }) => name === word);
  }

  /** The bracket that this one closes. */
  #opening(at: number): number {
    let depth = 0;
    for (let index = at; index >= 0; index -= 1) {
      const { text = "", kind = "sign" } = this.#tokens[index] ?? {};
      if (kind === "sign" && text in openings) depth += 1;
      if (kind === "sign" && Object.values(openings).includes(text)) depth -= 1;
      if (depth === 0) return index;
    }
    return -1;
  }

  /** The innermost call whose arguments this token is among. */
  #callAround(at: number): { readonly name: number; readonly argument: number } | undefined {
    let argument = 0;
    for (let index = at - 1; index > 0; index -= 1) {
      const { text = "", kind = "sign" } = this.#tokens[index] ?? {};
      if (kind !== "sign") continue;
      if (text in openings) index = this.#opening(index);
      else if (text === ",") argument += 1;
      else if (text === "(" && this.#tokens[index - 1]?.kind === "name") return { name: index - 1, argument };
      else if (Object.values(openings).includes(text)) argument = 0;
    }
    return undefined;
  }

  /** The names that the macros around this token give to elements, with their types. */
  #bound(at: number): ReadonlyMap<string, Type> {
    const names = new Map<string, Type>();
    for (let call = this.#callAround(at); call !== undefined; call = this.#callAround(call.name)) {
      const element = this.#tokens[call.name + 2];
      const isBody = call.argument > 0 && element?.kind === "name" && this.#tokens[call.name + 3]?.text === ",";
      if (!isBody || names.has(element.text)) continue;
      const [macro] = this.#callables(call.name).filter(({ isMacro }) => isMacro);
      if (macro === undefined) continue;
      const list = this.#typeBefore(call.name - 1);
      names.set(element.text, list?.of[0] ?? dyn);
    }
    return names;
  }
}

/** The result with the types of the elements in place of "A" and "B". */
function filledIn(result: Type, receiver: Type, of: Type | undefined): Type {
  const at = receiver.of.findIndex(({ name }) => name === result.name);
  if (at >= 0) return of?.of[at] ?? dyn;
  return { ...result, of: result.of.map((part) => filledIn(part, receiver, of)) };
}

function nameOf({ name, of }: Type): string {
  return of.length === 0 ? name : `${name}<${of.map(nameOf).join(", ")}>`;
}

function signatureOf({ name, parameters, result }: Callable): string {
  return `${name}(${parameters.map((each) => each.name).join(", ")}): ${result}`;
}

function saidOf(callable: Callable): string {
  return `${signatureOf(callable)}. ${callable.description}`;
}

function callOption(callable: Callable): Completion {
  const { name, parameters, description, isMacro } = callable;
  return snippetCompletion(`${name}(${parameters.map((each) => `#{${each.name}}`).join(", ")})`, {
    label: name,
    detail: signatureOf(callable).slice(name.length),
    info: description,
    type: isMacro ? "keyword" : "function",
  });
}

function textOption(label: string): Completion {
  return { label, type: "text" };
}
