import type { MouseEvent, ReactNode } from "react";
import { en } from "../../text/en.ts";
import { beginningOf } from "../../text/format.ts";
import type { Lead } from "./lead.ts";
import style from "./marked-text.module.css";
import { type Piece, type Span, segmentsOf } from "./span.ts";

const texts = en.findings;
const maxQuoted = 80;

/**
 * A text whose findings are marked: the ground is that of the gravest, and each has its underline. Offsets are UTF-16.
 * With a `lead`, each mark is a link to the row of its finding.
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
  return (
    <>
      <pre className={`${style.text} ${isNested ? style.nested : ""}`}>
        {pieces.map((piece) =>
          piece.spans.length === 0 ? (
            <span key={piece.start}>{piece.text}</span>
          ) : (
            <Mark key={piece.start} piece={piece} lead={lead} />
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
}: {
  readonly piece: Piece;
  readonly lead: Lead | undefined;
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
