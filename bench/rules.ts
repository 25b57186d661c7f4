// The rules of an evaluate request, compiled, against protovalidate, which does the same by descriptors.

import { create } from "@bufbuild/protobuf";
import { type EvaluateRequest, EvaluateRequestSchema } from "../gen/policyguard/policy/v1/evaluation_pb.ts";
import { compileRules } from "../src/kit/fault/compiled-rules.ts";
import { violationsOf } from "../src/kit/fault/validation.ts";
import { workLoadTexts } from "./load/bodies.ts";
import { type Bench, type Case, measure, timed } from "./measure.ts";

const forms: Readonly<Record<string, (text: string) => EvaluateRequest>> = {
  "one text": (text) => create(EvaluateRequestSchema, { text, agentId: "bench" }),
  "six messages": (text) =>
    create(EvaluateRequestSchema, {
      messages: Array.from({ length: 6 }, (_, index) => ({
        role: index % 2 === 0 ? "user" : "assistant",
        content: text,
      })),
      model: { provider: "bench", name: "bench" },
    }),
};

/** Measures the check of requests. */
export const rulesBench: Bench = () => {
  const compiled = compileRules(EvaluateRequestSchema);
  return measure(
    Object.entries(forms).flatMap(([form, requestOf]) => {
      const against = `rules by protovalidate, ${form}`;
      return [
        rulesCase(against, requestOf, { repeats: 20, check: isValidByProtovalidate }),
        rulesCase(`compiled rules, ${form}`, requestOf, { repeats: 2_000, check: compiled, against }),
      ];
    }),
  );
};

function isValidByProtovalidate(request: EvaluateRequest): boolean {
  return violationsOf(EvaluateRequestSchema, request).length === 0;
}

interface RulesCase {
  readonly repeats: number;
  readonly check: (request: EvaluateRequest) => boolean;
  readonly against?: string;
}

function rulesCase(
  name: string,
  requestOf: (text: string) => EvaluateRequest,
  { repeats, check, against }: RulesCase,
): Case {
  const texts = workLoadTexts();
  const requests = new Map(texts.map((text) => [text, requestOf(text)]));
  return {
    name,
    ...(against === undefined ? {} : { against }),
    run: () =>
      timed([...requests.keys()], repeats, (text) => {
        const request = requests.get(text);
        return request !== undefined && check(request) ? 1 : 0;
      }),
  };
}
