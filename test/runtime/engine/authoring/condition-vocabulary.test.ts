import { expect, test } from "vitest";
import { conditionVocabulary } from "../../../../runtime/engine/authoring/condition-vocabulary.ts";
import { ConditionCompiler, isConditionProblem } from "../../../../runtime/engine/policy/condition.ts";

const compiler = new ConditionCompiler({ words: ["a"] });

function problemOf(source: string): string | undefined {
  const result = compiler.compile(source);
  return isConditionProblem(result) ? `${source}: ${result.message}` : undefined;
}

test("every variable and field of the vocabulary may be written, and is described", () => {
  const { variables, types } = conditionVocabulary;
  for (const { name, type, description } of variables) {
    expect(description).toMatch(/\.$/);
    if (!type.includes("<")) expect(types.map((each) => each.name)).toContain(type);
    for (const field of types.find((each) => each.name === type)?.fields ?? []) {
      expect({ field, problem: problemOf(`dyn(${name}.${field.name}) == dyn(${name}.${field.name})`) }).toEqual({
        field: { ...field, description: expect.stringMatching(/\.$/) },
        problem: undefined,
      });
    }
  }
  expect(problemOf("findings.size() > 0 && lists.words.size() > 0")).toBeUndefined();
  expect(problemOf("nothing.text == ''")).toContain("unknown variable");
});

/** An expression of a type. */
const samples: Readonly<Record<string, string>> = {
  string: '"a"',
  int: "1",
  double: "1.5",
  bool: "true",
  dyn: "request.metadata.a",
  name: "each",
  expression: "each == each",
  "list<A>": "session.tools",
  "map<A, B>": "subject.attributes",
  Session: "session",
};

test.each(conditionVocabulary.functions.map((each) => [`${each.receiver ?? ""} ${each.name}`, each] as const))(
  "%s may be called as the vocabulary says, and has the result that it says",
  (_, { name, receiver, parameters, result }) => {
    const taken = parameters.map(({ type, texts }) => (texts === undefined ? samples[type] : `"${texts[0]}"`));
    const call = `${receiver === undefined ? "" : `${samples[receiver]}.`}${name}(${taken.join(", ")})`;
    expect(problemOf(`${call} == ${call}`)).toBeUndefined();
    const another = result === "int" ? '"a"' : "1";
    if (["bool", "int", "string"].includes(result)) expect(problemOf(`${call} == ${another}`)).toBeDefined();
  },
);
