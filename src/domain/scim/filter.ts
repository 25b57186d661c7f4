// Filters and paths (RFC 7644, sections 3.4.2.2 and 3.5.2), by recursive descent. What a filter may cost is bounded:
// its bytes, its depth and its terms.

import type { JsonValue } from "@bufbuild/protobuf";
import { type Place, placeOf, type ResourceShape } from "./attribute.ts";
import { type ScimType, scimInvalid } from "./fault.ts";

/** Bytes of a filter, and of a path. */
export const maxFilterBytes = 1024;
/** Parentheses, brackets and negations within each other. */
export const maxFilterDepth = 8;
/** Comparisons of one filter. */
export const maxFilterTerms = 20;

/** How a value is compared. */
export type Comparator = "eq" | "ne" | "co" | "sw" | "ew" | "gt" | "ge" | "lt" | "le";

/** A condition on a resource, or on one of several values of an attribute. */
export type Filter =
  | { readonly kind: "and" | "or"; readonly of: readonly Filter[] }
  | { readonly kind: "not"; readonly of: Filter }
  | { readonly kind: "present"; readonly place: Place }
  | { readonly kind: "compare"; readonly place: Place; readonly operator: Comparator; readonly value: JsonValue }
  /** One of the values of an attribute fulfils the condition. */
  | { readonly kind: "some"; readonly place: Place; readonly where: Filter };

/** A path of a PATCH: an attribute or a part of one, of those values that fulfil the filter. */
export interface Path {
  readonly place: Place;
  readonly where?: Filter;
}

const comparators = new Set<string>(["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"]);

/** Reads a filter. Throws invalidFilter. */
export function parseFilter(shape: ResourceShape, text: string): Filter {
  const parser = new Parser(shape, text, "invalidFilter");
  const filter = parser.either(undefined);
  parser.end();
  return filter;
}

/** Reads a path. Throws invalidPath; invalidFilter for the filter in it. */
export function parsePath(shape: ResourceShape, text: string): Path {
  const parser = new Parser(shape, text, "invalidPath");
  const path = parser.path();
  parser.end();
  return path;
}

type Token = { readonly kind: "word" | "string" | "mark"; readonly text: string };

// A word is a name, an operator, a number or a literal. Names may have a URN before them.
const tokenForm = /\s*(?:("(?:[^"\\]|\\.)*")|([[\]()])|([^\s"[\]()]+))/y;

class Parser {
  readonly #shape: ResourceShape;
  readonly #fault: ScimType;
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;
  #terms = 0;

  constructor(shape: ResourceShape, text: string, fault: ScimType) {
    this.#shape = shape;
    this.#fault = fault;
    if (Buffer.byteLength(text) > maxFilterBytes) {
      throw scimInvalid(fault, `a filter or path has at most ${maxFilterBytes} bytes`);
    }
    this.#tokens = this.#split(text);
  }

  /** Terms joined by "or", which binds weaker than "and". `within` is the attribute whose values are filtered. */
  either(within: Place | undefined): Filter {
    return this.#joined("or", () => this.#joined("and", () => this.#term(within)));
  }

  path(): Path {
    const token = this.#take("word", "the name of an attribute");
    if (this.#peek("[")) {
      const place = this.#place(token);
      const where = this.#bracketed(place);
      const sub = this.#subAfter(place);
      return { place: sub ?? place, where };
    }
    return { place: this.#place(token) };
  }

  end(): void {
    const left = this.#tokens[this.#at];
    if (left !== undefined) throw this.#refusal(`does not expect ${left.text}`);
  }

  #joined(word: "and" | "or", next: () => Filter): Filter {
    const of = [next()];
    while (this.#skipWord(word)) of.push(next());
    return of.length === 1 && of[0] !== undefined ? of[0] : { kind: word, of };
  }

  #term(within: Place | undefined): Filter {
    if (this.#skipMark("(")) return this.#parenthesized(within);
    const token = this.#take("word", "the name of an attribute");
    if (token.text.toLowerCase() === "not" && this.#skipMark("(")) {
      return { kind: "not", of: this.#parenthesized(within) };
    }
    const place = within === undefined ? this.#place(token) : this.#subPlace(within, token.text);
    if (within === undefined && this.#peek("[")) {
      const where = this.#bracketed(place);
      const sub = this.#subAfter(place);
      // Entra ID asks for emails[type eq "work"].value eq "…", which the standard does not have.
      if (sub === undefined) return { kind: "some", place, where };
      return { kind: "some", place, where: { kind: "and", of: [where, this.#comparison(sub)] } };
    }
    return this.#comparison(place);
  }

  #comparison(place: Place): Filter {
    this.#terms += 1;
    if (this.#terms > maxFilterTerms) throw this.#refusal(`has more than ${maxFilterTerms} terms`);
    const operator = this.#take("word", "an operator").text.toLowerCase();
    if (operator === "pr") return { kind: "present", place };
    if (!comparators.has(operator)) throw this.#refusal(`has no operator ${operator}`);
    const comparison = { place, operator: operator as Comparator, value: this.#value() }; // just checked
    const problem = problemOf(comparison);
    if (problem !== undefined) throw this.#refusal(problem);
    return { kind: "compare", ...comparison };
  }

  #value(): JsonValue {
    const token = this.#tokens[this.#at++];
    if (token === undefined || token.kind === "mark") throw this.#refusal("expects a value");
    let value: JsonValue;
    try {
      const folded = token.kind === "word" ? token.text.toLowerCase() : token.text;
      value = JSON.parse(folded);
    } catch {
      throw this.#refusal(`has a value that is no JSON: ${token.text}`);
    }
    // No value of a user has it, and the database takes no text with it.
    if (typeof value === "string" && value.includes("\0")) throw this.#refusal("has the character U+0000 in a value");
    return value;
  }

  #parenthesized(within: Place | undefined): Filter {
    this.#enter();
    const filter = this.either(within);
    this.#require(")");
    this.#depth -= 1;
    return filter;
  }

  #bracketed(place: Place): Filter {
    this.#require("[");
    this.#enter();
    if (place.attribute?.isMulti !== true || place.sub !== undefined) {
      throw this.#refusal("filters the values of an attribute that has one value");
    }
    const filter = this.either(place);
    this.#require("]");
    this.#depth -= 1;
    return filter;
  }

  #enter(): void {
    this.#depth += 1;
    if (this.#depth > maxFilterDepth) throw this.#refusal(`is nested deeper than ${maxFilterDepth}`);
  }

  // After a bracket, ".value" is a word of its own.
  #subAfter(place: Place): Place | undefined {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "word" || !token.text.startsWith(".")) return undefined;
    this.#at += 1;
    return this.#subPlace(place, token.text.slice(1));
  }

  #subPlace({ extension, attribute }: Place, name: string): Place {
    const sub = attribute?.sub?.find((each) => each.name.toLowerCase() === name.toLowerCase());
    if (sub === undefined || attribute === undefined) throw this.#refusal(`has no attribute ${name} here`);
    return extension === undefined ? { attribute, sub } : { extension, attribute, sub };
  }

  #place({ text }: Token): Place {
    const place = placeOf(this.#shape, text);
    if (place === undefined) throw this.#refusal(`names no known attribute: ${text}`);
    return place;
  }

  #split(text: string): Token[] {
    const tokens: Token[] = [];
    const end = text.trimEnd().length;
    tokenForm.lastIndex = 0;
    while (tokenForm.lastIndex < end) {
      const found = tokenForm.exec(text);
      if (found === null) throw this.#refusal("has a string without an end");
      const [, string, mark, word] = found;
      if (string !== undefined) tokens.push({ kind: "string", text: string });
      else if (mark !== undefined) tokens.push({ kind: "mark", text: mark });
      else tokens.push({ kind: "word", text: word ?? "" });
    }
    return tokens;
  }

  #take(kind: Token["kind"], what: string): Token {
    const token = this.#tokens[this.#at++];
    if (token?.kind !== kind) throw this.#refusal(`expects ${what}`);
    return token;
  }

  #peek(mark: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === "mark" && token.text === mark;
  }

  #skipMark(mark: string): boolean {
    const isThere = this.#peek(mark);
    if (isThere) this.#at += 1;
    return isThere;
  }

  #skipWord(word: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "word" || token.text.toLowerCase() !== word) return false;
    this.#at += 1;
    return true;
  }

  #require(mark: string): void {
    if (!this.#skipMark(mark)) throw this.#refusal(`expects ${mark}`);
  }

  #refusal(problem: string) {
    return scimInvalid(this.#fault, `the ${this.#fault === "invalidPath" ? "path" : "filter"} ${problem}`);
  }
}

type Comparison = Omit<Filter & { readonly kind: "compare" }, "kind">;

/** What is wrong with the types of a comparison. */
function problemOf({ place: { attribute, sub }, operator, value }: Comparison): string | undefined {
  const { name, type } = sub ?? attribute ?? {};
  if (value === null) {
    return operator === "eq" || operator === "ne" ? undefined : `compares with null by ${operator}: null has no order`;
  }
  switch (type) {
    case "boolean":
      if (operator !== "eq" && operator !== "ne") return `compares a boolean by ${operator}: use eq or ne`;
      return isBoolean(value) ? undefined : `compares ${name} with something else than true or false`;
    case "dateTime":
      if (operator === "co" || operator === "sw" || operator === "ew" || !isTime(value)) {
        return `has to compare ${name} by eq, ne, gt, ge, lt or le with a time in the form of RFC 3339`;
      }
      return undefined;
    default:
      return typeof value === "string" ? undefined : `compares ${name ?? "a text"} with something else than a string`;
  }
}

function isBoolean(value: JsonValue): boolean {
  return typeof value === "boolean" || (typeof value === "string" && /^(?:true|false)$/i.test(value));
}

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;
const [firstTime, lastTime] = [Date.parse("0001-01-01T00:00:00Z"), Date.parse("9999-12-31T23:59:59.999Z")];

// The language reads times in other forms too, and in years that the database does not have.
function isTime(value: JsonValue): boolean {
  if (typeof value !== "string" || !timeForm.test(value)) return false;
  const time = Date.parse(value);
  return time >= firstTime && time <= lastTime;
}
