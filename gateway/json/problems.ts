import { type Fault, type FieldViolation, validationFailed } from "../../src/kit/fault/fault.ts";

/** Further problems are not reported: a caller who made thousands of mistakes corrects the first ones first. */
const maxProblems = 32;

/** Collects the problems of the fields of one request. */
export class Problems {
  readonly #list: FieldViolation[] = [];

  /** Notes a problem and returns undefined, the value of a field that cannot be read. */
  add(field: string, message: string): undefined {
    if (this.#list.length < maxProblems) this.#list.push({ field, message });
    return undefined;
  }

  /** A fault that lists all problems; undefined when there is none. */
  fault(): Fault | undefined {
    return this.#list.length === 0 ? undefined : validationFailed(this.#list);
  }
}
