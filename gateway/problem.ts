import { type Fault, type FieldViolation, validationFailed } from "../src/kit/error.ts";

/** More are not told: a caller who sent thousands of mistakes mends the first ones first. */
const maxProblems = 32;

/** Collects what is wrong with the fields of one request. */
export class Problems {
  readonly #list: FieldViolation[] = [];

  /** Notes what is wrong with a field and returns undefined, the value of a field that cannot be read. */
  add(field: string, message: string): undefined {
    if (this.#list.length < maxProblems) this.#list.push({ field, message });
    return undefined;
  }

  /** The failure that tells all of it; undefined when nothing is wrong. */
  fault(): Fault | undefined {
    return this.#list.length === 0 ? undefined : validationFailed(this.#list);
  }
}
