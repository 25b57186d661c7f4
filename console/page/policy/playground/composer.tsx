import type { KeyboardEvent } from "react";
import { stageName, stages } from "../../../data/stage.ts";
import { Button } from "../../../part/button.tsx";
import { Select, TextArea, TextField } from "../../../part/field.tsx";
import { isPressed } from "../../../part/keys/shortcuts.ts";
import layout from "../../../part/layout/layout.module.css";
import { en } from "../../../text/en.ts";
import { type Asked, newPiece, type Piece } from "./request.ts";

const texts = en.playground;
const roles = ["", "system", "developer", "user", "assistant", "tool"] as const;
const jsonTemplate = '{\n  "messages": [\n    {"role": "user", "content": ""}\n  ]\n}';

/** Where somebody writes what is to be judged, which a key does. */
export function Composer({
  asked,
  fault,
  onChange,
  onJudge,
}: {
  readonly asked: Asked;
  readonly fault: string | undefined;
  readonly onChange: (asked: Asked) => void;
  readonly onJudge: () => void;
}) {
  const { stage, pieces, json } = asked;
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isPressed("judge", event)) return;
    event.preventDefault();
    onJudge();
  };
  const nextKey = Math.max(0, ...pieces.map(({ key }) => key)) + 1;
  return (
    <div className={layout.stack}>
      <Select
        label={texts.stage}
        value={stage}
        onChange={({ target }) => onChange({ ...asked, stage: stages[target.selectedIndex] ?? stage })}
      >
        {stages.map((each) => (
          <option key={each} value={each}>
            {stageName(each)}
          </option>
        ))}
      </Select>
      {json === undefined ? (
        pieces.map((piece, index) => (
          <PieceFields
            key={piece.key}
            piece={piece}
            label={pieces.length === 1 ? texts.text : texts.segment(index + 1)}
            onKeyDown={onKeyDown}
            onChange={(next) => onChange({ ...asked, pieces: pieces.map((each) => (each === piece ? next : each)) })}
            onRemove={
              pieces.length === 1
                ? undefined
                : () => onChange({ ...asked, pieces: pieces.filter((each) => each !== piece) })
            }
          />
        ))
      ) : (
        <TextArea
          label={texts.json}
          hint={texts.jsonHint}
          fault={fault}
          value={json}
          rows={8}
          spellCheck={false}
          onChange={({ target }) => onChange({ ...asked, json: target.value })}
          onKeyDown={onKeyDown}
        />
      )}
      <div className={layout.row}>
        {json === undefined && (
          <Button kind="quiet" onClick={() => onChange({ ...asked, pieces: [...pieces, newPiece(nextKey)] })}>
            {texts.add}
          </Button>
        )}
        <Button
          kind="quiet"
          onClick={() => onChange({ ...asked, json: json === undefined ? jsonTemplate : undefined })}
        >
          {json === undefined ? texts.asJson : texts.asText}
        </Button>
      </div>
    </div>
  );
}

function PieceFields({
  piece,
  label,
  onKeyDown,
  onChange,
  onRemove,
}: {
  readonly piece: Piece;
  readonly label: string;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onChange: (piece: Piece) => void;
  readonly onRemove: (() => void) | undefined;
}) {
  return (
    <>
      <TextArea
        label={label}
        hint={texts.judgeHint}
        value={piece.text}
        rows={4}
        onChange={({ target }) => onChange({ ...piece, text: target.value })}
        onKeyDown={onKeyDown}
      />
      <details>
        <summary>{texts.details}</summary>
        <div className={layout.pair}>
          <Select
            label={texts.role}
            value={piece.role}
            onChange={({ target }) => onChange({ ...piece, role: target.value })}
          >
            {roles.map((role) => (
              <option key={role} value={role}>
                {role === "" ? texts.usual : role}
              </option>
            ))}
          </Select>
          <Select
            label={texts.trust}
            value={piece.trust}
            onChange={({ target }) => onChange({ ...piece, trust: target.value })}
          >
            {Object.entries(texts.trusts).map(([trust, name]) => (
              <option key={trust} value={trust}>
                {name}
              </option>
            ))}
          </Select>
          <TextField
            label={texts.origin}
            hint={texts.originHint}
            value={piece.origin}
            maxLength={256}
            onChange={({ target }) => onChange({ ...piece, origin: target.value })}
          />
          {onRemove !== undefined && <Button onClick={onRemove}>{texts.remove}</Button>}
        </div>
      </details>
    </>
  );
}
