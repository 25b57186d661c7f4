import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Value } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { PolicySchemaKind, type TestedPolicySchema } from "../../gen/policyguard/control/v1/policy_pb.ts";
import type { PolicyService } from "../../gen/policyguard/control/v1/policy_service_pb.ts";
import { EvaluateRequestSchema } from "../../gen/policyguard/policy/v1/evaluation_pb.ts";
import { Stage } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { documentSchemas, type Playground, type TestedPolicy } from "../domain/playground.ts";
import { callerOf } from "../kit/context.ts";
import { documentOf } from "./policy.ts";

/** The handlers of PolicyService that try policies out. */
export type PlaygroundHandlers = Pick<
  ServiceImpl<typeof PolicyService>,
  "testPolicies" | "explainPolicies" | "getPolicySchema"
>;

/** Handlers of the playground. */
export function playgroundHandlers(playground: Playground): PlaygroundHandlers {
  return {
    testPolicies: async ({ tests, robustness, ...request }, context) => {
      const tested = await playground.test(callerOf(context), { ...candidateInput(request), tests, robustness });
      const results = tested.flatMap((policy) => policy.tests);
      const passedCount = results.filter(({ passed }) => passed).length;
      return {
        passed: passedCount === results.length,
        passedCount,
        failedCount: results.length - passedCount,
        policies: tested.map(testedMessage),
      };
    },
    explainPolicies: async ({ environment, stage, request, ...named }, context) => ({
      explanation: await playground.explain(callerOf(context), {
        ...candidateInput(named),
        environment,
        stage: stage || Stage.INPUT,
        request: request ?? create(EvaluateRequestSchema),
      }),
    }),
    getPolicySchema: ({ kind }) => ({
      schema: kind === PolicySchemaKind.TESTS ? documentSchemas.tests : documentSchemas.policy,
    }),
  };
}

function candidateInput(named: {
  readonly document?: Value;
  readonly policyId?: string;
  readonly version?: number;
  readonly projectId?: string;
}) {
  const { document, policyId, version, projectId } = named;
  return { document: document && documentOf(document), policyId, version, projectId };
}

function testedMessage({ candidate, tests, robustness }: TestedPolicy): MessageInitShape<typeof TestedPolicySchema> {
  const { name, policyId, version } = candidate;
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
