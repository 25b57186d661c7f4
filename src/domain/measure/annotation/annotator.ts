// Who annotates: a person in their own name, or a program that gives itself one.

import { AnnotatorKind } from "../../../../gen/policyguard/control/v1/annotation_pb.ts";
import { CredentialKind } from "../../../../gen/policyguard/options/v1/options_pb.ts";
import { validationFailed } from "../../../kit/fault/fault.ts";
import type { Caller } from "../../../kit/rpc/context.ts";

/** Who annotates. */
export interface AnnotatorIdentity {
  readonly annotatorKind: AnnotatorKind;
  readonly annotatorId: string;
  readonly annotatorLabel: string;
}

/** The annotator as the queue knows them. */
export function annotatorKey({ annotatorKind, annotatorId }: AnnotatorIdentity): string {
  return `${annotatorKind}/${annotatorId}`;
}

/** Who the caller is. `name` is the one that a program gives itself; people have none. */
export function annotatorOf({ credential }: Caller, name: string | undefined): AnnotatorIdentity {
  if (credential.kind !== CredentialKind.MEMBER) {
    const [annotatorId, annotatorLabel] = name === undefined ? [credential.id, credential.label] : [name, name];
    return { annotatorKind: AnnotatorKind.CODE, annotatorId, annotatorLabel };
  }
  if (name !== undefined) {
    const message = "is for programs with an admin token; you annotate in your own name, so leave it out";
    throw validationFailed([{ field: "annotator", message }]);
  }
  return { annotatorKind: AnnotatorKind.HUMAN, annotatorId: credential.id, annotatorLabel: credential.label };
}
