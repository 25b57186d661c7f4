import { callUnaryMethod } from "@connectrpc/connect-query";
import { useState } from "react";
import type { Gate, GateSet } from "../../../../gen/policyguard/control/v1/gate_pb.ts";
import { GateService } from "../../../../gen/policyguard/control/v1/gate_service_pb.ts";
import { useDatasets } from "../../../data/choice/dataset.ts";
import { failureOf } from "../../../data/failure.ts";
import { perform } from "../../../data/perform.ts";
import { transport } from "../../../data/transport.ts";
import { DeedDialog } from "../../../part/deed-dialog.tsx";
import { en } from "../../../text/en.ts";
import type { Place } from "../place.ts";
import { GateFields } from "./fields.tsx";
import { formOf, inputOf, newGate } from "./form.ts";
import style from "./gate.module.css";
import { requirementText } from "./sentence.ts";

const texts = en.gates;
const { method } = GateService;
/** Somebody who changes other gates meanwhile costs one try each. */
const maxTries = 3;

/**
 * A new gate, or a change of one. All gates are stored as one list, so that changes of others that came meanwhile are
 * kept; when this very gate was changed, theirs is shown beside yours before yours replaces it.
 */
export function GateDialog({
  place,
  base,
  gate,
  onClose,
}: {
  readonly place: Place;
  readonly base: GateSet;
  readonly gate?: Gate;
  readonly onClose: () => void;
}) {
  const { datasetName } = useDatasets();
  const [start] = useState(base);
  const [form, setForm] = useState(() => (gate === undefined ? newGate : formOf(gate)));
  const [theirs, setTheirs] = useState<GateSet>();
  const [sentAt, setSentAt] = useState(0);
  const same = ({ gates }: GateSet) => gates.findIndex(({ id }) => gate !== undefined && id === gate.id);
  const save = async () => {
    let known = theirs ?? start;
    for (let left = maxTries; ; left -= 1) {
      const at = same(known);
      const mine = inputOf(form);
      const gates = at < 0 ? [...known.gates, mine] : known.gates.map((each, index) => (index === at ? mine : each));
      setSentAt(at < 0 ? known.gates.length : at);
      try {
        await perform(method.setGates, { ...place, gates, expectedVersion: known.version });
        return;
      } catch (failure) {
        if (failureOf(failure).kind !== "version_conflict" || left === 0) throw failure;
        const { gateSet } = await callUnaryMethod(transport, method.getGates, place);
        if (gateSet === undefined) throw failure;
        const isTouched = gate !== undefined && !isEqual(gateSet.gates[same(gateSet)], known.gates[at]);
        known = gateSet;
        if (!isTouched) continue;
        setTheirs(gateSet);
        throw failure;
      }
    }
  };
  return (
    <DeedDialog
      title={gate === undefined ? texts.addTitle : texts.editTitle(gate.id)}
      deed={theirs !== undefined ? texts.keepMine : gate === undefined ? texts.confirmAdd : en.common.save}
      isWide
      onClose={onClose}
      onDo={save}
    >
      {(faultOf) => (
        <>
          <GateFields
            form={form}
            isNew={gate === undefined}
            faultOf={(field) => faultOf(`gates[${sentAt}].${field}`)}
            onChange={(part) => setForm((former) => ({ ...former, ...part }))}
          />
          {theirs !== undefined && (
            <div className={style.conflict}>
              <p>{texts.conflict(theirs.version, theirs.updatedBy ?? en.common.none)}</p>
              <Theirs gate={theirs.gates[same(theirs)]} datasetName={datasetName} />
            </div>
          )}
        </>
      )}
    </DeedDialog>
  );
}

function Theirs({
  gate,
  datasetName,
}: {
  readonly gate: Gate | undefined;
  readonly datasetName: (id: string) => string;
}) {
  return <p>{gate === undefined ? texts.conflictGone : texts.conflictTheirs(requirementText(gate, datasetName))}</p>;
}

/** A gate that asks for something else has another revision; the rest is compared by itself. */
function isEqual(one: Gate | undefined, other: Gate | undefined): boolean {
  return (
    one?.revision === other?.revision && one?.enforcement === other?.enforcement && one?.on.join() === other?.on.join()
  );
}
