import style from "./marked-text.module.css";
import type { OutcomeName } from "./outcome-name.ts";
import { type Span, segmentsOf } from "./span.ts";

/** A text whose findings are marked. Offsets are UTF-16. */
export function MarkedText({ text, spans }: { readonly text: string; readonly spans: readonly Span[] }) {
  return (
    <pre className={style.text}>
      {segmentsOf(text, spans).map(({ start, text: piece, span }) =>
        span === undefined ? (
          <span key={start}>{piece}</span>
        ) : (
          <mark key={start} className={classes[span.outcome]} title={span.label}>
            {piece}
          </mark>
        ),
      )}
    </pre>
  );
}

const classes: Readonly<Record<OutcomeName, string | undefined>> = {
  ALLOW: style.ALLOW,
  FLAG: style.FLAG,
  REDACT: style.REDACT,
  BLOCK: style.BLOCK,
};
