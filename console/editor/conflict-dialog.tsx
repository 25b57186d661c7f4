import { Button } from "../part/button.tsx";
import { Dialog, DialogActions } from "../part/dialog.tsx";
import { Failed } from "../part/state.tsx";
import { en } from "../text/en.ts";
import { DiffView } from "./diff-view.tsx";
import style from "./editor.module.css";

const texts = en.edit;

/** Theirs beside yours, when somebody else saved first: nothing is lost before the person has chosen. */
export function ConflictDialog({
  title,
  text,
  theirs,
  mine,
  keep,
  isBusy,
  error,
  onTake,
  onKeep,
  onClose,
}: {
  readonly title: string;
  readonly text: string;
  readonly theirs: string;
  readonly mine: string;
  /** What the button that saves yours after all is called. */
  readonly keep: string;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly onTake: () => void;
  readonly onKeep: () => void;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={title} isWide onClose={onClose}>
      <p>{text}</p>
      <p className={style.sides}>
        <span>{texts.theirs}</span>
        <span>{texts.mine}</span>
      </p>
      <DiffView before={theirs} after={mine} label={title} />
      {error !== undefined && <Failed error={error} />}
      <DialogActions>
        <Button onClick={onClose}>{en.common.cancel}</Button>
        <Button onClick={onTake}>{texts.takeTheirs}</Button>
        <Button kind="primary" disabled={isBusy} onClick={onKeep}>
          {keep}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
