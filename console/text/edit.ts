import { count, counted } from "./format.ts";

/** What forms share: where something applies, and what happens when somebody else saved first. */
export const editTexts = {
  scope: "Applies to",
  project: "Project",
  allProjects: "all projects",
  environment: "Environment",
  environmentHint: "Empty: all of them.",
  agent: "Agent",
  agentHint: "The agent's key. Empty: all of them.",
  conflict: "Somebody saved meanwhile.",
  onlyTheirs: "Only in theirs",
  onlyMine: "Only in yours",
  andMore: (n: number) => `and ${count(n)} more`,
  takeTheirs: "Take theirs",
  merge: "Put my changes on top of theirs",
  keepMine: "Keep mine",
  theirs: "Theirs",
  mine: "Yours",
  unsaved: "Not saved yet.",
  restored: "Your unsaved text was restored.",
  discard: "Discard the changes",
  ofCatalog: "catalog",
  ofDocument: "in this document",
  replaceWith: (word: string) => `Replace with ${word}`,
  items: (n: number) => counted(n, "item", "items"),
};
