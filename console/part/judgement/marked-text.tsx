import { type KeyboardEvent, type MouseEvent, type ReactNode, useState } from "react";
import { en } from "../../text/en.ts";
import { beginningOf } from "../../text/format.ts";
import type { Lead } from "./lead.ts";
import style from "./marked-text.module.css";
import { type Piece, type Span, segmentsOf } from "./span.ts";

const texts = en.findings;
const maxQuoted = 80;

/**
 * A text whose findings are marked: the ground is that of the gravest, and each has its underline. Offsets are UTF-16.
 * With a `lead`, each mark is a link to the row of its finding. For those who walk by keys all marks are one stop, with
 * arrows from one to the next.
 */
export function MarkedText({
  text,
  spans,
  lead,
}: {
  readonly text: string;
  readonly spans: readonly Span[];
  readonly lead?: Lead;
}) {
  const { pieces, leftOut } = segmentsOf(text, spans);
  const isNested = pieces.some(({ lines }) => lines.length > 1);
  const [reached, setReached] = useState<number>();
  const leading =
    lead === undefined ? [] : pieces.filter(({ spans: over }) => over.some(({ row }) => row !== undefined));
  const stop = leading.find(({ start }) => start === reached) ?? leading[0];
  const walk =
    leading.length > 1 ? { role: "group", "aria-label": texts.walk(leading.length), onKeyDown: walkMarks } : undefined;
  return (
    <>
      <pre className={`${style.text} ${isNested ? style.nested : ""}`} {...walk}>
        {pieces.map((piece) =>
          piece.spans.length === 0 ? (
            <span key={piece.start}>{piece.text}</span>
          ) : (
            <Mark
              key={piece.start}
              piece={piece}
              lead={lead}
              isStop={piece === stop}
              onReach={() => setReached(piece.start)}
            />
          ),
        )}
      </pre>
      {leftOut > 0 && <p className={style.leftOut}>{texts.leftOut(leftOut)}</p>}
    </>
  );
}

function Mark({
  piece: { text, spans, count, lines },
  lead,
  isStop,
  onReach,
}: {
  readonly piece: Piece;
  readonly lead: Lead | undefined;
  /** Whether Tab stops here. */
  readonly isStop: boolean;
  readonly onReach: () => void;
}) {
  const named = spans.map(({ outcome, label }) => texts.named(en.outcome[outcome], label));
  const names = texts.names(named, count - named.length);
  const rows = spans.flatMap(({ row }) => row ?? []);
  const [first, ...further] = lines.flatMap((outcome, height) =>
    outcome === undefined ? [] : `${style.line} ${style[outcome]} ${style[`height${height}`]}`,
  );
  let underlined: ReactNode;
  // The link has an underline of its own: within a text it is told from it by more than its ground.
  if (lead === undefined || rows[0] === undefined) underlined = <span className={first}>{text}</span>;
  else
    underlined = (
      <a
        href={`#${lead.idOf(rows[0])}`}
        className={first}
        aria-label={texts.mark(beginningOf(text, maxQuoted), names)}
        tabIndex={isStop ? 0 : -1}
        onFocus={onReach}
        onClick={(event) => follow(event, rows, lead)}
      >
        {text}
      </a>
    );
  for (const line of further) underlined = <span className={line}>{underlined}</span>;
  return (
    <mark className={`${style.ground} ${spans[0] && style[spans[0].outcome]}`} title={names}>
      {underlined}
    </mark>
  );
}

/** The address stays that of the page: a row is no place to come back to. */
function follow(event: MouseEvent<HTMLElement>, rows: readonly number[], { follow }: Lead): void {
  event.preventDefault();
  follow(rows, event.currentTarget);
}

/** Arrows go to the next or previous mark, Home and End to the first or last one. */
function walkMarks(event: KeyboardEvent<HTMLElement>): void {
  const marks = [...event.currentTarget.querySelectorAll("a")];
  const at = event.target instanceof HTMLAnchorElement ? marks.indexOf(event.target) : -1;
  const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (at < 0 || to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  // At either end the key still belongs to the text: it neither scrolls the page nor leads to the next trace.
  event.preventDefault();
  if (event.key === "End" || to >= 0) marks.at(to)?.focus();
}
