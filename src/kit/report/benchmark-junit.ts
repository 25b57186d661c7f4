// A benchmark in the XML that CI systems call JUnit: a suite for each requirement, with a case for the requirement
// itself and, when it is not met, one for each sample that speaks against it.

import { placeOf, type ReportFacts, type Requirement, targetText, wrongText } from "./benchmark-facts.ts";
import { attributes, escaped } from "./xml.ts";

interface Case {
  readonly name: string;
  readonly failure: string | undefined;
}

/** The report of a benchmark. */
export function benchmarkJunit(facts: ReportFacts): string {
  const { requirements, benchmark, dataset } = facts;
  const measured = `${targetText(benchmark.target)} on ${dataset}@${benchmark.version}`;
  const suites =
    requirements.length === 0
      ? [{ name: "measured", cases: [{ name: measured, failure: undefined }] }]
      : requirements.map((requirement) => ({ name: requirement.text, cases: casesOf(facts, requirement) }));
  const all = suites.flatMap(({ cases }) => cases);
  const head = attributes({ name: `benchmark of ${measured}`, tests: all.length, failures: failed(all), errors: 0 });
  const body = suites.map(({ name, cases }) => suite(name, measured, cases)).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${head}>\n${body}</testsuites>\n`;
}

function casesOf(facts: ReportFacts, requirement: Requirement): Case[] {
  const { text, why, isMet, against } = requirement;
  if (isMet) return [{ name: text, failure: undefined }];
  const samples = facts.wrong.filter(({ wrong }) => against.includes(wrong));
  return [
    { name: text, failure: why },
    ...samples.map((each) => ({ name: placeOf(facts, each.result), failure: wrongText(each) })),
  ];
}

function suite(name: string, classname: string, cases: readonly Case[]): string {
  const head = attributes({ name, tests: cases.length, failures: failed(cases), errors: 0 });
  const lines = cases.map(({ name: title, failure }) => {
    const facts = attributes({ name: title, classname });
    if (failure === undefined) return `    <testcase${facts}/>\n`;
    const why = `<failure${attributes({ message: failure })}>${escaped(failure)}</failure>`;
    return `    <testcase${facts}>\n      ${why}\n    </testcase>\n`;
  });
  return `  <testsuite${head}>\n${lines.join("")}  </testsuite>\n`;
}

function failed(cases: readonly Case[]): number {
  return cases.filter(({ failure }) => failure !== undefined).length;
}
