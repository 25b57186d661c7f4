import { en } from "../../text/en.ts";
import { Button } from "../button.tsx";
import layout from "../layout/layout.module.css";

const texts = en.edit;
/** Of thousands of lines that differ, so many are enough to see what somebody else did. */
const maxShown = 40;

/** What only theirs and only mine have, when somebody else saved a list of lines first. */
export function LineConflict({
  text,
  theirs,
  mine,
  onTake,
  onMerge,
  onKeep,
}: {
  readonly text: string;
  readonly theirs: readonly string[];
  readonly mine: readonly string[];
  readonly onTake: () => void;
  /** Puts what I changed on top of theirs, to be looked at before it is saved, where it is known what mine began from. */
  readonly onMerge?: () => void;
  readonly onKeep: () => void;
}) {
  return (
    <section className={layout.stack} role="alert">
      <h3>{texts.conflict}</h3>
      <p>{text}</p>
      <div className={layout.pair}>
        <Lines title={texts.onlyTheirs} lines={without(theirs, mine)} />
        <Lines title={texts.onlyMine} lines={without(mine, theirs)} />
      </div>
      <div className={layout.row}>
        <Button onClick={onTake}>{texts.takeTheirs}</Button>
        {onMerge !== undefined && (
          <Button kind="primary" onClick={onMerge}>
            {texts.merge}
          </Button>
        )}
        <Button onClick={onKeep}>{texts.keepMine}</Button>
      </div>
    </section>
  );
}

function without(lines: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line));
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly string[] }) {
  const rest = lines.length - maxShown;
  return (
    <div>
      <h4>{title}</h4>
      <p className={layout.wrap}>{lines.length === 0 ? en.common.none : lines.slice(0, maxShown).join(", ")}</p>
      {rest > 0 && <p className={layout.small}>{texts.andMore(rest)}</p>}
    </div>
  );
}
