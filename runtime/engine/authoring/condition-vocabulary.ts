// The words of conditions as editors complete and describe them, from the tables by which conditions are checked.

import { type ConditionFunction, conditionFunctions } from "../policy/condition-function.ts";
import { factDescriptions, factTypes, otherFacts } from "../policy/facts.ts";

/** A name with its CEL type. */
interface Typed {
  readonly name: string;
  readonly type: string;
  readonly description: string;
}

/** The variables, the fields of their types, and what may be called. */
export interface ConditionVocabulary {
  readonly variables: readonly Typed[];
  readonly types: readonly { readonly name: string; readonly fields: readonly Typed[] }[];
  readonly functions: readonly ConditionFunction[];
}

const names = Object.keys(factTypes) as (keyof typeof factTypes)[]; // the keys of a constant

/** The vocabulary of all conditions. */
export const conditionVocabulary: ConditionVocabulary = {
  variables: [
    ...names.map((name) => ({ name, type: factTypes[name].type, description: factDescriptions[name].description })),
    ...Object.entries(otherFacts).map(([name, other]) => ({ name, ...other })),
  ],
  types: names.map((name) => ({ name: factTypes[name].type, fields: fieldsOf(name) })),
  functions: conditionFunctions,
};

function fieldsOf(name: keyof typeof factTypes): readonly Typed[] {
  const descriptions: Readonly<Record<string, string>> = factDescriptions[name].fields;
  return Object.entries(factTypes[name].fields).map(([field, type]) => ({
    ...{ name: field, type },
    description: descriptions[field] ?? "",
  }));
}
