import { useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import {
  type DetectorBackend,
  type DetectorBackendPreset,
  DetectorBackendPresetSchema,
  DetectorBackendShape,
  DetectorBackendShapeSchema,
} from "../../../gen/policyguard/control/v1/detector_backend_pb.ts";
import { DetectorBackendService } from "../../../gen/policyguard/control/v1/detector_backend_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { wireNames } from "../../data/wire-name.ts";
import { Ago } from "../../part/ago.tsx";
import { Button } from "../../part/button.tsx";
import { DeedDialog } from "../../part/deed-dialog.tsx";
import { Select, TextField } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { Answered } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";

const texts = en.detectors;
const { method } = DetectorBackendService;
const shapes = wireNames<DetectorBackendShape>(DetectorBackendShapeSchema);
const presets = wireNames<DetectorBackendPreset>(DetectorBackendPresetSchema);
const maxBackends = 200;
const defaultTimeoutMs = 200;

type Asked = { readonly deed: "add" } | { readonly deed: "edit" | "delete"; readonly backend: DetectorBackend };

/** The detectors that the organization runs itself. */
export function Backends() {
  const { orgId, can } = useOrganization();
  const query = useQuery(method.listDetectorBackends, { orgId, limit: maxBackends });
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const mayPut = can(method.putDetectorBackend);
  return (
    <Panel
      title={texts.backends}
      text={texts.backendsText}
      actions={mayPut && <Button onClick={() => setAsked({ deed: "add" })}>{texts.addBackend}</Button>}
    >
      <Answered query={query} rows={2}>
        {({ detectorBackends }) =>
          detectorBackends.length === 0 ? (
            <p className={layout.dim}>{texts.noBackends}</p>
          ) : (
            <BackendTable backends={detectorBackends} onAsk={setAsked} />
          )
        }
      </Answered>
      {asked?.deed === "delete" && <DeleteBackend backend={asked.backend} onClose={close} />}
      {asked?.deed === "add" && <PutBackend backend={undefined} onClose={close} />}
      {asked?.deed === "edit" && <PutBackend backend={asked.backend} onClose={close} />}
    </Panel>
  );
}

function BackendTable({
  backends,
  onAsk,
}: {
  readonly backends: readonly DetectorBackend[];
  readonly onAsk: (asked: Asked) => void;
}) {
  const { can } = useOrganization();
  return (
    <Table
      label={texts.backends}
      rows={backends}
      keyOf={({ key }) => key}
      columns={[
        { title: texts.key, cell: ({ key }) => <code>{key}</code> },
        { title: texts.url, isFree: true, phone: "below", cell: ({ url }) => url },
        { title: texts.shape, phone: "below", cell: ({ shape }) => shapes.nameOf(shape) },
        {
          title: texts.preset,
          phone: "named",
          cell: ({ preset, model = "" }) => texts.presetOfModel(presets.nameOf(preset), model) || en.common.none,
        },
        { title: texts.timeout, isNumber: true, phone: "end", cell: ({ timeoutMs }) => texts.ms(timeoutMs) },
        { title: texts.header, phone: "named", cell: ({ authHeader }) => authHeader ?? en.common.none },
        { title: texts.changed, isNumber: true, phone: "named", cell: ({ updatedAt }) => <Ago time={updatedAt} /> },
        {
          title: "",
          isNumber: true,
          phone: "deeds",
          cell: (backend) => (
            <span className={`${layout.row} ${layout.end}`}>
              {can(method.putDetectorBackend) && (
                <Button
                  kind="quiet"
                  aria-label={texts.editOf(backend.key)}
                  onClick={() => onAsk({ deed: "edit", backend })}
                >
                  {texts.edit}
                </Button>
              )}
              {can(method.deleteDetectorBackend) && (
                <Button
                  kind="quiet"
                  aria-label={texts.deleteOf(backend.key)}
                  onClick={() => onAsk({ deed: "delete", backend })}
                >
                  {texts.delete}
                </Button>
              )}
            </span>
          ),
        },
      ]}
    />
  );
}

function PutBackend({
  backend,
  onClose,
}: {
  readonly backend: DetectorBackend | undefined;
  readonly onClose: () => void;
}) {
  const { orgId } = useOrganization();
  return (
    <DeedDialog
      title={backend === undefined ? texts.addTitle : texts.editTitle(backend.key)}
      text={texts.secretText}
      deed={backend === undefined ? texts.confirmAdd : en.common.save}
      onClose={onClose}
      onDo={async (text) => {
        const given = (name: string) => (text(name) === "" ? undefined : text(name));
        await perform(method.putDetectorBackend, {
          orgId,
          detectorKey: backend?.key ?? text("key"),
          url: text("url"),
          shape: shapes.valueOf(text("shape")) ?? DetectorBackendShape.UNSPECIFIED,
          timeoutMs: Number(text("timeout")),
          authHeader: given("header"),
          preset: presets.valueOf(given("preset")),
          model: given("model"),
          digest: given("digest"),
        });
      }}
    >
      {(faultOf) => (
        <>
          {backend === undefined && (
            <TextField
              label={texts.key}
              hint={texts.keyHint}
              name="key"
              autoComplete="off"
              spellCheck={false}
              required
              fault={faultOf("detector_key")}
            />
          )}
          <TextField
            label={texts.url}
            hint={texts.urlHint}
            name="url"
            type="url"
            autoComplete="off"
            required
            defaultValue={backend?.url}
            fault={faultOf("url")}
          />
          <div className={layout.pair}>
            <Select label={texts.shape} name="shape" defaultValue={shapes.nameOf(backend?.shape)}>
              {shapes.values.map((shape) => (
                <option key={shape} value={shapes.nameOf(shape)}>
                  {shapes.nameOf(shape)}
                </option>
              ))}
            </Select>
            <TextField
              label={texts.timeoutMs}
              name="timeout"
              type="number"
              min={1}
              max={30_000}
              required
              defaultValue={backend?.timeoutMs ?? defaultTimeoutMs}
              fault={faultOf("timeout_ms")}
            />
          </div>
          <OptionalFields backend={backend} faultOf={faultOf} />
        </>
      )}
    </DeedDialog>
  );
}

/** What its labels mean, which model answers, and what it takes to be let in. */
function OptionalFields({
  backend,
  faultOf,
}: {
  readonly backend: DetectorBackend | undefined;
  readonly faultOf: (field: string) => string | undefined;
}) {
  return (
    <>
      <div className={layout.pair}>
        <Select
          label={texts.preset}
          hint={texts.presetHint}
          name="preset"
          defaultValue={presets.nameOf(backend?.preset)}
          fault={faultOf("preset")}
        >
          <option value="">{texts.noPreset}</option>
          {presets.values.map((preset) => (
            <option key={preset} value={presets.nameOf(preset)}>
              {presets.nameOf(preset)}
            </option>
          ))}
        </Select>
        <TextField
          label={texts.model}
          hint={texts.modelHint}
          name="model"
          autoComplete="off"
          spellCheck={false}
          defaultValue={backend?.model}
          fault={faultOf("model")}
        />
      </div>
      <TextField
        label={texts.digest}
        hint={texts.digestHint}
        name="digest"
        autoComplete="off"
        spellCheck={false}
        defaultValue={backend?.digest}
        fault={faultOf("digest")}
      />
      <TextField
        label={texts.header}
        hint={texts.headerHint}
        name="header"
        autoComplete="off"
        spellCheck={false}
        defaultValue={backend?.authHeader}
        fault={faultOf("auth_header")}
      />
    </>
  );
}

function DeleteBackend({
  backend: { key },
  onClose,
}: {
  readonly backend: DetectorBackend;
  readonly onClose: () => void;
}) {
  const { orgId } = useOrganization();
  return (
    <DeedDialog
      title={texts.deleteTitle(key)}
      text={texts.deleteText}
      deed={texts.confirmDelete}
      isGrave
      onClose={onClose}
      onDo={async () => {
        await perform(method.deleteDetectorBackend, { orgId, detectorKey: key });
      }}
    />
  );
}
