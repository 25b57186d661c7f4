import { en } from "../../text/en.ts";
import style from "./meaning.module.css";
import { Outcome } from "./outcome.tsx";
import { outcomeName } from "./outcome-name.ts";

const texts = en.versions;

/** What one version of a policy makes of another one, as the server says it. */
export interface PolicyMeaning {
  readonly strictness: string;
  readonly reasons: readonly string[];
  readonly changes: readonly { readonly path: string; readonly text: string; readonly effect: string }[];
  readonly witnesses: readonly { readonly test: string; readonly before: number; readonly after: number }[];
}

/** What a change means: whether it is stricter, by the server's reasons, what changes, and tests that show it. */
export function Meaning({ diff: { strictness, reasons, changes, witnesses } }: { readonly diff: PolicyMeaning }) {
  // What the list below says is not said twice.
  const isNoChange = (reason: string) => changes.every(({ text }) => text !== reason);
  return (
    <div className={style.meaning}>
      <p className={strictness === "weaker" ? style.weaker : ""}>
        <strong>{en.policy.strictness[strictness] ?? strictness}</strong>{" "}
        {reasons.map(withoutEffect).filter(isNoChange).join("; ")}
      </p>
      {changes.length === 0 ? <p className={style.dim}>{texts.noChanges}</p> : <Changes changes={changes} />}
      <Witnesses witnesses={witnesses} />
    </div>
  );
}

/** A reason without the word for its effect, which stands before it. */
export function withoutEffect(reason: string): string {
  return reason.replace(/^(?:stricter|weaker|equal|unknown): /, "");
}

/** What changes, each with its effect. */
export function Changes({ changes }: Pick<PolicyMeaning, "changes">) {
  return (
    <ul className={style.list}>
      {changes.map(({ path, text, effect }) => (
        <li key={`${path} ${text}`}>
          <Effect value={effect} /> {text}
        </li>
      ))}
    </ul>
  );
}

/** The effect of a change as a tag. */
export function Effect({ value }: { readonly value: string }) {
  const word = en.policy.strictness[value] ?? value;
  return (
    <span className={`${style.tag} ${value === "weaker" ? style.weaker : ""}`} data-effect={value}>
      {word}
    </span>
  );
}

/** The tests that come out otherwise. */
export function Witnesses({ witnesses }: Pick<PolicyMeaning, "witnesses">) {
  if (witnesses.length === 0) return null;
  return (
    <>
      <h3>{texts.witnesses}</h3>
      <ul className={style.list}>
        {distinct(witnesses).map(({ test, before, after }) => (
          <li key={`${test} ${before} ${after}`}>
            {test}: <Outcome value={outcomeName(before)} /> → <Outcome value={outcomeName(after)} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** A test that both versions have is told once. */
function distinct<W extends PolicyMeaning["witnesses"][number]>(witnesses: readonly W[]): W[] {
  const keyed = witnesses.map((each) => [`${each.test} ${each.before} ${each.after}`, each] as const);
  return [...new Map(keyed).values()];
}
