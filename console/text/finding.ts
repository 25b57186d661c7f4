import { count, counted } from "./format.ts";

/** What marks of a text and lists of findings say. */
export const findingTexts = {
  title: "Findings",
  none: "Nothing was found.",
  shadow: "shadow",
  back: "Back to the text",
  named: (outcome: string, label: string) => `${outcome}, ${label}`,
  names: (names: readonly string[], further: number) =>
    [...names, ...(further > 0 ? [`${count(further)} more`] : [])].join("; "),
  walk: (n: number) => `Text with ${counted(n, "mark", "marks")}; arrows go from one to the next`,
  mark: (text: string, names: string) => `${text}: ${names}`,
  leftOut: (n: number) => `${counted(n, "mark is", "marks are")} left out: the text has too many.`,
};
