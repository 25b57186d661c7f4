import { useQuery } from "@connectrpc/connect-query";
import {
  type Gate,
  GateEnforcement,
  GateKind,
  type GateResult,
  GateState,
} from "../../../../gen/policyguard/control/v1/gate_pb.ts";
import { GateService } from "../../../../gen/policyguard/control/v1/gate_service_pb.ts";
import layout from "../../../part/layout/layout.module.css";
import { Answered } from "../../../part/state.tsx";
import { en } from "../../../text/en.ts";
import type { Place } from "../place.ts";
import { type Standing, StandingGates } from "./standing.tsx";

const texts = en.gates;
const maxResults = 200;

/** How content stands before the gates of an environment that does not have it yet, by what is known about it. */
export function TargetGates({ place, contentDigest }: { readonly place: Place; readonly contentDigest: string }) {
  const gates = useQuery(GateService.method.getGates, place);
  const known = useQuery(GateService.method.listGateResults, { ...place, contentDigest, limit: maxResults });
  return (
    <>
      <h3>{texts.ofTarget(place.envName)}</h3>
      <Answered query={gates} rows={2}>
        {({ gateSet }) =>
          gateSet === undefined || gateSet.gates.length === 0 ? (
            <p className={layout.dim}>{texts.ofTargetNone(place.envName)}</p>
          ) : (
            <Answered query={known} rows={2}>
              {({ results }) => <StandingGates gates={gateSet.gates.map((gate) => standingOf(gate, results))} />}
            </Answered>
          )
        }
      </Answered>
    </>
  );
}

/** The newest answer to what the gate asks now; none yet otherwise. */
function standingOf(gate: Gate, results: readonly GateResult[]): Standing {
  const { id, kind, revision, enforcement } = gate;
  const found = results.find((each) => each.gate === id && each.revision === revision);
  const common = { id, kind, warnsOnly: enforcement === GateEnforcement.WARN };
  if (found === undefined) {
    const reason = kind === GateKind.CANDIDATE ? texts.notAsked : undefined;
    return { ...common, state: GateState.MISSING, reason, isOpen: false, runId: undefined, details: undefined };
  }
  const { state, reason, runId, details } = found;
  return { ...common, state, reason, runId, details, isOpen: state === GateState.PASSED };
}
