// Lists that conditions read: written out in the document, or kept beside the policies under a name.

import type { ListDeclaration, NamedListDeclaration } from "./document.ts";

/** The lists that a document declares, by name. */
export type ListDeclarations = Readonly<Record<string, ListDeclaration>>;

/** Lists as conditions read them. A named list that nobody keeps is absent. */
export type Lists = Readonly<Record<string, readonly string[]>>;

/** Maximum number of items of a list, wherever it is kept. */
const maxListItems = 10_000;

/** True for a list that is kept beside the policies. */
export function isNamed(declaration: ListDeclaration): declaration is NamedListDeclaration {
  return !Array.isArray(declaration);
}

/** Maximum number of items that a list can have. */
export function maxItemsOf(declaration: ListDeclaration): number {
  return isNamed(declaration) ? maxListItems : declaration.length;
}

/** The lists of a document; `named` finds the items of named lists. */
export function resolvedLists(
  declarations: ListDeclarations,
  named: (name: string) => readonly string[] | undefined,
): Lists {
  const entries = Object.entries(declarations).map(([name, declaration]) => [
    name,
    isNamed(declaration) ? (named(name) ?? declaration.default) : declaration,
  ]);
  return Object.fromEntries(entries.filter(([, items]) => items !== undefined));
}

/** Names of the lists that must be kept beside the policies, since the document has no default for them. */
export function requiredLists(declarations: ListDeclarations): string[] {
  return Object.entries(declarations)
    .filter(([, declaration]) => isNamed(declaration) && declaration.default === undefined)
    .map(([name]) => name);
}
