import type { ReactNode } from "react";
import { en } from "../../text/en.ts";
import { Button } from "../button.tsx";
import { Dialog, DialogActions } from "../dialog.tsx";
import { Facts } from "../facts.tsx";
import layout from "../layout/layout.module.css";
import { MarkedText } from "./marked-text.tsx";
import { Outcome } from "./outcome.tsx";
import type { OutcomeName } from "./outcome-name.ts";
import { piecesOf, type SampleTexts } from "./sample-piece.ts";

const texts = en.datasets;

/** A sample with what is right about it. */
export interface ShownSample extends SampleTexts {
  readonly id: string;
  readonly externalId?: string | undefined;
  readonly labels: readonly string[];
  readonly language?: string | undefined;
  readonly group?: string | undefined;
  readonly tags: readonly string[];
  readonly textWithheld: boolean;
}

/** One sample as a whole: each of its texts, and what is right about it. */
export function SampleReader({
  sample,
  stage,
  expected,
  source,
  note,
  onClose,
}: {
  readonly sample: ShownSample;
  readonly stage: string;
  readonly expected: OutcomeName | undefined;
  /** The way to what it was copied from. */
  readonly source?: ReactNode;
  /** What to know before reading it. */
  readonly note?: ReactNode;
  readonly onClose: () => void;
}) {
  const { id, externalId, labels, language, group, tags } = sample;
  return (
    <Dialog title={texts.readTitle} isWide onClose={onClose}>
      <div className={layout.stack}>
        {note}
        <Texts sample={sample} />
        <Facts
          facts={[
            [texts.labels, labels.join(", ") || en.common.none],
            [texts.expected, expected === undefined ? texts.notStated : <Outcome key="expected" value={expected} />],
            [texts.stage, stage],
            [texts.language, language ?? texts.notStated],
            [texts.group, group ?? en.common.none],
            [texts.tags, tags.join(", ") || en.common.none],
            [texts.source, source ?? en.common.none],
            [texts.externalId, externalId ?? en.common.none],
            [texts.id, <code key="id">{id}</code>],
          ]}
        />
      </div>
      <DialogActions>
        <Button onClick={onClose}>{en.common.close}</Button>
      </DialogActions>
    </Dialog>
  );
}

function Texts({ sample }: { readonly sample: ShownSample }) {
  const why = whyUnread(sample);
  if (why !== undefined) return <p className={layout.dim}>{why}</p>;
  return piecesOf(sample).map(({ role, text, spans }, at) => (
    // The texts of a sample are told apart by their place alone.
    // biome-ignore lint/suspicious/noArrayIndexKey: they never change their order
    <div key={at}>
      {role !== undefined && <span className={layout.dim}>{role}</span>}
      <MarkedText text={text} spans={spans} />
    </div>
  ));
}

/** Why a sample has no text to read; undefined when it has one. */
export function whyUnread(sample: SampleTexts & { readonly textWithheld: boolean }): string | undefined {
  if (sample.textWithheld) return texts.withheld;
  return piecesOf(sample).length === 0 ? texts.noText : undefined;
}
