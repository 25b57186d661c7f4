// What the labels of an answer mean, by the preset of its backend.

import { type BackendFindings, type LabelMeanings, unknownLabels } from "../../engine/backend/backend.ts";
import { AnswerInvalid } from "./answer.ts";

/** Labels may stand in a log where they are names. A server that puts the text into its labels does not get it there. */
const plain = /^[A-Za-z0-9_./:-]{1,64}$/;
const maxNamed = 10;

/** The answer with the categories of its labels, without those that are no findings. Throws AnswerInvalid. */
export function withMeanings(answer: BackendFindings, meanings: LabelMeanings | undefined): BackendFindings {
  if (meanings === undefined) return answer;
  const unknown = unknownLabels([...new Set(answer.findings.map(({ label }) => label))], meanings);
  if (unknown.length > 0)
    throw new AnswerInvalid(`its preset does not know ${unknown.slice(0, maxNamed).map(shown).join(", ")}`);
  const findings = answer.findings.flatMap((finding) => {
    const category = Object.hasOwn(meanings.labels, finding.label) ? meanings.labels[finding.label] : undefined;
    return category === undefined ? [] : [{ ...finding, category }];
  });
  return { ...answer, findings };
}

function shown(label: string): string {
  return plain.test(label) ? label : `a label of ${label.length} characters`;
}
