import { type Outcome, OutcomeSchema } from "../../gen/policyguard/policy/v1/outcome_pb.ts";
import { wireNames } from "./wire-name.ts";

/** The outcomes by their names, such as "BLOCK". */
export const outcomeValues = wireNames<Outcome>(OutcomeSchema);
