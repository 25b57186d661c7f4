import type { JsonObject } from "@bufbuild/protobuf";
import { Link } from "@tanstack/react-router";
import type { BundleGate } from "../../../../gen/policyguard/control/v1/bundle_pb.ts";
import { GateEnforcement, GateKind, GateState } from "../../../../gen/policyguard/control/v1/gate_pb.ts";
import { useOrganization } from "../../../data/organization.ts";
import { Badge } from "../../../part/badge.tsx";
import { en } from "../../../text/en.ts";
import { count, decimal } from "../../../text/format.ts";
import { figuresOf } from "./figures.ts";
import style from "./gate.module.css";
import { gateKinds, gateStates } from "./names.ts";

const texts = en.gates;

/** How a gate stands for a version. */
export interface Standing {
  readonly id: string;
  /** Absent for the four gates that every environment has. */
  readonly kind: GateKind | undefined;
  readonly state: GateState;
  /** Whether it lets the version through; one that only warns does. */
  readonly isOpen: boolean;
  readonly warnsOnly: boolean;
  readonly reason: string | undefined;
  readonly runId: string | undefined;
  readonly details: JsonObject | undefined;
}

/** A gate as calls about a bundle answer it. */
export function standingOf({ gate, kind, state, passed, enforcement, reason, runId, details }: BundleGate): Standing {
  return {
    ...{ id: gate, kind, state, isOpen: passed, warnsOnly: enforcement === GateEnforcement.WARN },
    ...{ reason, runId, details },
  };
}

/** Gates of a version, open or closed: why, and what each lacks. */
export function StandingGates({ gates }: { readonly gates: readonly Standing[] }) {
  return (
    <ul className={style.gates}>
      {gates.map((gate) => (
        <Row key={gate.id} gate={gate} />
      ))}
    </ul>
  );
}

function Row({ gate }: { readonly gate: Standing }) {
  const { id, kind, reason, runId, details, warnsOnly } = gate;
  const { orgId } = useOrganization();
  const { lack, requirements } = figuresOf(kind, details);
  const kindName = gateKinds.nameOf(kind);
  return (
    <li>
      <GateStateBadge gate={gate} />
      <div className={style.words}>
        <p>
          {kind === undefined ? (en.bundle.gateNames[id] ?? id) : <strong>{id}</strong>}{" "}
          {kind !== undefined && <span className={style.dim}>{texts.kinds[kindName]}</span>}{" "}
          {warnsOnly && <Badge>{texts.warns}</Badge>}
        </p>
        {reason !== undefined && <p className={style.reason}>{reason}</p>}
        {lack !== undefined && (
          <p className={style.lack}>
            <progress max={lack.need} value={lack.have} aria-label={id} />
            <span>{texts.needed[kindName]?.(lack.have, lack.need) ?? `${count(lack.have)} / ${count(lack.need)}`}</span>
          </p>
        )}
        {requirements.length > 0 && (
          <details>
            <summary>{texts.numbers}</summary>
            <ul>
              {requirements.map(({ metric, slice, side, limit, value, isMet }) => (
                <li key={`${metric} ${slice} ${side} ${limit}`} className={isMet ? style.met : style.unmet}>
                  {isMet ? "✓" : "✕"}{" "}
                  {texts.requirement(
                    `${texts.metrics[metric] ?? metric}${slice === undefined ? "" : ` (${slice})`}`,
                    `${texts.sides[side]} ${limit}`,
                    value === undefined ? en.common.none : decimal(value),
                  )}
                </li>
              ))}
            </ul>
          </details>
        )}
        {runId !== undefined && kind === GateKind.BENCHMARK && (
          <p>
            <Link to="/o/$org/benchmarks/$run" params={{ org: orgId, run: runId }}>
              {texts.openBenchmark}
            </Link>
          </p>
        )}
      </div>
    </li>
  );
}

const signs = new Map<GateState, string>([
  [GateState.PASSED, "✓"],
  [GateState.FAILED, "✕"],
  [GateState.PENDING, "◌"],
  [GateState.MISSING, "○"],
  [GateState.OVERRIDDEN, "»"],
]);
const tones = new Map<GateState, "good" | "bad" | "notice">([
  [GateState.PASSED, "good"],
  [GateState.FAILED, "bad"],
  [GateState.PENDING, "notice"],
  [GateState.MISSING, "notice"],
  [GateState.OVERRIDDEN, "notice"],
]);

/** A word for how a gate stands; the four that every environment has are open or closed. */
export function GateStateBadge({ gate: { kind, state } }: { readonly gate: Pick<Standing, "kind" | "state"> }) {
  const name = gateStates.nameOf(state);
  const word =
    kind === undefined ? (state === GateState.PASSED ? texts.open : texts.closed) : (texts.states[name] ?? name);
  const hint = texts.stateHints[name];
  return (
    <Badge tone={tones.get(state) ?? "plain"} {...(hint === undefined ? {} : { title: hint })}>
      <span aria-hidden="true">{signs.get(state)}</span> {word}
    </Badge>
  );
}
