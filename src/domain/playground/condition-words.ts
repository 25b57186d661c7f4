import { create } from "@bufbuild/protobuf";
import { type ConditionVocabulary, ConditionVocabularySchema } from "../../../gen/policyguard/control/v1/policy_pb.ts";
import { conditionVocabulary } from "../../../runtime/engine/authoring/condition-vocabulary.ts";

/** What conditions may be written with. */
export const conditionWords: ConditionVocabulary = create(ConditionVocabularySchema, {
  variables: [...conditionVocabulary.variables],
  types: conditionVocabulary.types.map(({ name, fields }) => ({ name, fields: [...fields] })),
  functions: conditionVocabulary.functions.map(({ parameters, ...each }) => ({
    ...each,
    parameters: parameters.map(({ texts = [], ...parameter }) => ({ ...parameter, texts: [...texts] })),
  })),
});
