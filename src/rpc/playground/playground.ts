import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Value } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { PolicySchemaKind, type TestedPolicySchema } from "../../../gen/policyguard/control/v1/policy_pb.ts";
import type { PolicyService } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { EvaluateRequestSchema } from "../../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { conditionWords } from "../../domain/playground/condition-words.ts";
import { documentSchemas, type Playground, type TestedPolicy } from "../../domain/playground/playground.ts";
import { callerOf } from "../../kit/rpc/context.ts";
import { documentOf } from "../document.ts";

/** The handlers of PolicyService that run policies. */
export type PlaygroundHandlers = Pick<
  ServiceImpl<typeof PolicyService>,
  "testPolicies" | "explainPolicies" | "getPolicySchema"
>;

/** Handlers of the playground. */
export function playgroundHandlers(playground: Playground): PlaygroundHandlers {
  return {
    testPolicies: async ({ tests, robustness, ...request }, context) => {
      const input = { ...selectionOf(request), tests, robustness };
      const tested = await playground.test(callerOf(context), input, context.signal);
      const results = tested.flatMap((policy) => policy.tests);
      const passedCount = results.filter(({ passed }) => passed).length;
      return {
        passed: passedCount === results.length,
        passedCount,
        failedCount: results.length - passedCount,
        policies: tested.map(testedMessage),
      };
    },
    explainPolicies: async ({ environment, bundleVersion, stage, request, ...named }, context) => {
      const input = {
        ...selectionOf(named),
        environment,
        bundleVersion,
        stage: stage || Stage.INPUT,
        request: request ?? create(EvaluateRequestSchema),
      };
      return playground.explain(callerOf(context), input, context.signal);
    },
    getPolicySchema: ({ kind }) => ({
      schema: kind === PolicySchemaKind.TESTS ? documentSchemas.tests : documentSchemas.policy,
      conditions: conditionWords,
    }),
  };
}

function selectionOf(named: {
  readonly document?: Value;
  readonly policyId?: string;
  readonly version?: number;
  readonly projectId?: string;
}) {
  const { document, policyId, version, projectId } = named;
  return { document: document && documentOf(document), policyId, version, projectId };
}

function testedMessage({
  selected,
  name,
  tests,
  robustness,
}: TestedPolicy): MessageInitShape<typeof TestedPolicySchema> {
  const { policyId, version } = selected;
  return {
    name,
    policyId,
    version,
    tests: tests.map((test) => ({ ...test, failures: [...test.failures] })),
    robustness: robustness && {
      ...robustness,
      mutations: robustness.mutations.map(({ missed, ...grade }) => ({ ...grade, missed: [...missed] })),
    },
  };
}
