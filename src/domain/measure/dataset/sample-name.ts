// The names by which samples are stored, and the enums of the protocol.

import { DatasetSplit } from "../../../../gen/policyguard/control/v1/dataset_pb.ts";
import { Outcome, Stage } from "../../../../gen/policyguard/policy/v1/outcome_pb.ts";
import { nameOf, outcomes, stages } from "../../../../runtime/engine/policy/enum-names.ts";

const splits = { train: DatasetSplit.TRAIN, dev: DatasetSplit.DEV, test: DatasetSplit.TEST } as const;

/** Names of the stages. */
export const stageNames: readonly string[] = Object.keys(stages);
/** Names of the outcomes. */
export const outcomeNames: readonly string[] = Object.keys(outcomes);
/** Names of the splits. */
export const splitNames: readonly string[] = Object.keys(splits);

/** The name of a stage; undefined when none is set. */
export function nameOfStage(stage: Stage): string | undefined {
  return stage === Stage.UNSPECIFIED ? undefined : nameOf(stages, stage);
}

/** The name of an outcome; undefined when none is set. */
export function nameOfOutcome(outcome: Outcome): string | undefined {
  return outcome === Outcome.UNSPECIFIED ? undefined : nameOf(outcomes, outcome);
}

/** The name of a split; undefined when none is set. */
export function nameOfSplit(split: DatasetSplit): string | undefined {
  return split === DatasetSplit.UNSPECIFIED ? undefined : nameOf(splits, split);
}

/** The stage of this name. */
export function stageOfName(name: string): Stage {
  return enumOf<Stage>(stages, name);
}

/** The outcome of this name; undefined for none. */
export function outcomeOfName(name: string | null): Outcome | undefined {
  return name === null ? undefined : enumOf<Outcome>(outcomes, name);
}

/** The split of this name; undefined for none. */
export function splitOfName(name: string | null): DatasetSplit | undefined {
  return name === null ? undefined : enumOf<DatasetSplit>(splits, name);
}

function enumOf<Value extends number>(names: Readonly<Record<string, Value>>, name: string): Value {
  const value = names[name];
  if (value === undefined) throw new Error(`a stored sample names ${name}, which is unknown`);
  return value;
}
