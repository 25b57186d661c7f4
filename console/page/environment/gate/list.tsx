import { useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import type { Gate, GateSet } from "../../../../gen/policyguard/control/v1/gate_pb.ts";
import { GateEnforcement } from "../../../../gen/policyguard/control/v1/gate_pb.ts";
import { GateService } from "../../../../gen/policyguard/control/v1/gate_service_pb.ts";
import { useDatasets } from "../../../data/choice/dataset.ts";
import { failureOf } from "../../../data/failure.ts";
import { invalidate } from "../../../data/invalidation.ts";
import { useOrganization } from "../../../data/organization.ts";
import { perform } from "../../../data/perform.ts";
import { Ago } from "../../../part/ago.tsx";
import { Badge } from "../../../part/badge.tsx";
import { Button } from "../../../part/button.tsx";
import { DeedDialog } from "../../../part/deed-dialog.tsx";
import layout from "../../../part/layout/layout.module.css";
import { Menu } from "../../../part/menu.tsx";
import { Panel } from "../../../part/panel.tsx";
import { Answered } from "../../../part/state.tsx";
import { Table } from "../../../part/table.tsx";
import { en } from "../../../text/en.ts";
import type { Place } from "../place.ts";
import { GateDialog } from "./edit.tsx";
import { enforcements, gateActions, gateKinds } from "./names.ts";
import { requirementText } from "./sentence.ts";

const texts = en.gates;
const { method } = GateService;

/** The environment's own gates, and the way to change them. */
export function GateList({ place }: { readonly place: Place }) {
  const { can } = useOrganization();
  const query = useQuery(method.getGates, place);
  const [isAdding, setAdding] = useState(false);
  const mayEdit = can(method.setGates);
  return (
    <Panel
      title={texts.title}
      text={texts.text}
      actions={mayEdit && query.data !== undefined && <Button onClick={() => setAdding(true)}>{texts.add}</Button>}
    >
      <Answered query={query} rows={2}>
        {({ gateSet }) =>
          gateSet && (
            <>
              {gateSet.gates.length === 0 && <p className={layout.dim}>{texts.none}</p>}
              {gateSet.gates.length > 0 && <Gates place={place} gateSet={gateSet} mayEdit={mayEdit} />}
              {gateSet.updatedAt !== undefined && (
                <p className={layout.small}>
                  {texts.changed(gateSet.version)} {gateSet.updatedBy} · <Ago time={gateSet.updatedAt} />
                </p>
              )}
              {isAdding && <GateDialog place={place} base={gateSet} onClose={() => setAdding(false)} />}
            </>
          )
        }
      </Answered>
    </Panel>
  );
}

function Gates({
  place,
  gateSet,
  mayEdit,
}: {
  readonly place: Place;
  readonly gateSet: GateSet;
  readonly mayEdit: boolean;
}) {
  const { datasetName } = useDatasets();
  const [open, setOpen] = useState<{ readonly gate: Gate; readonly deed: "edit" | "remove" }>();
  const close = () => setOpen(undefined);
  return (
    <>
      <Table
        label={texts.title}
        rows={gateSet.gates}
        keyOf={({ id }) => id}
        columns={[
          {
            title: texts.gate,
            cell: (gate) => (
              <span className={layout.name}>
                <span>
                  <strong>{gate.id}</strong>{" "}
                  {gate.enforcement === GateEnforcement.WARN && (
                    <Badge>{texts.enforcements[enforcements.nameOf(gate.enforcement)]}</Badge>
                  )}
                </span>
                <span className={layout.small}>{texts.kinds[gateKinds.nameOf(gate.kind)]}</span>
              </span>
            ),
          },
          { title: texts.asks, phone: "below", cell: (gate) => requirementText(gate, datasetName) },
          {
            title: texts.checkedBy,
            phone: "named",
            cell: ({ on }) => on.map(gateActions.nameOf).join(", "),
          },
          ...(mayEdit
            ? [
                {
                  title: "",
                  isNumber: true,
                  phone: "end" as const,
                  cell: (gate: Gate) => (
                    <Menu
                      label={texts.deedsOf(gate.id)}
                      items={[
                        { title: texts.edit, onChoose: () => setOpen({ gate, deed: "edit" }) },
                        { title: texts.remove, onChoose: () => setOpen({ gate, deed: "remove" }) },
                      ]}
                    />
                  ),
                },
              ]
            : []),
        ]}
      />
      {open?.deed === "edit" && <GateDialog place={place} base={gateSet} gate={open.gate} onClose={close} />}
      {open?.deed === "remove" && (
        <DeedDialog
          title={texts.removeTitle(open.gate.id)}
          text={texts.removeText}
          deed={texts.confirmRemove}
          isGrave
          onClose={close}
          onDo={async () => {
            const gates = gateSet.gates.filter(({ id }) => id !== open.gate.id);
            try {
              await perform(method.setGates, { ...place, gates, expectedVersion: gateSet.version });
            } catch (error) {
              // The next press goes by what somebody else made of them.
              if (failureOf(error).kind === "version_conflict") await invalidate(method.setGates);
              throw error;
            }
          }}
        />
      )}
    </>
  );
}
