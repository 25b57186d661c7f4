import { Button } from "../../../part/button.tsx";
import { aNumber, type FaultOf, Select, TextField } from "../../../part/field.tsx";
import { Choice } from "../../../part/form/choice.tsx";
import { en } from "../../../text/en.ts";
import { type LimitForm, newLimit } from "./form.ts";
import style from "./gate.module.css";
import { gateBounds, gateMetrics } from "./names.ts";

const texts = en.gates;
const slices = Object.entries(texts.slices);
const maxLimits = 20;

/** The limits that a benchmark has to keep, all of them. */
export function Limits({
  limits,
  faultOf,
  onChange,
}: {
  readonly limits: readonly LimitForm[];
  /** Faults such as "[0].at_least". */
  readonly faultOf: FaultOf;
  readonly onChange: (limits: readonly LimitForm[]) => void;
}) {
  return (
    <fieldset className={style.set}>
      <legend>{texts.limits}</legend>
      {limits.map((limit, at) => (
        <Limit
          // A limit is nothing but its fields, so its place is what it is known by.
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are only appended, and removed by their place
          key={at}
          at={at}
          limit={limit}
          faultOf={(field) => faultOf(`[${at}].${field}`)}
          onChange={(part) => onChange(limits.with(at, { ...limit, ...part }))}
          onRemove={() => onChange(limits.toSpliced(at, 1))}
        />
      ))}
      {limits.length < maxLimits && (
        <div>
          <Button onClick={() => onChange([...limits, newLimit])}>{texts.addLimit}</Button>
        </div>
      )}
    </fieldset>
  );
}

function Limit({
  at,
  limit: { metric, side, value, by, part, bound },
  faultOf,
  onChange,
  onRemove,
}: {
  readonly at: number;
  readonly limit: LimitForm;
  readonly faultOf: FaultOf;
  readonly onChange: (part: Partial<LimitForm>) => void;
  readonly onRemove: () => void;
}) {
  return (
    <section className={style.limit} aria-label={texts.limit(at + 1)}>
      <Choice
        label={texts.metric}
        names={gateMetrics}
        title={texts.metrics}
        value={metric}
        onChoose={(next) => onChange({ metric: next })}
      />
      <Select
        label={texts.side}
        value={side}
        onChange={({ target }) => onChange({ side: target.value === "at_most" ? "at_most" : "at_least" })}
      >
        <option value="at_least">{texts.sides.at_least}</option>
        <option value="at_most">{texts.sides.at_most}</option>
      </Select>
      <TextField
        label={texts.value}
        fault={faultOf(side) ?? faultOf("metric")}
        {...aNumber}
        required
        value={value}
        onChange={({ target }) => onChange({ value: target.value })}
      />
      <Choice
        label={texts.bound}
        names={gateBounds}
        title={texts.bounds}
        none={texts.strict}
        value={bound}
        onChoose={(next) => onChange({ bound: next })}
      />
      <Select label={texts.sliceBy} value={by} onChange={({ target }) => onChange({ by: target.value })}>
        <option value="">{texts.wholeSlice}</option>
        {slices.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </Select>
      {by !== "" && (
        <TextField
          label={texts.sliceValue}
          fault={faultOf("slice.value")}
          required
          value={part}
          onChange={({ target }) => onChange({ part: target.value })}
        />
      )}
      <div>
        <Button kind="quiet" aria-label={texts.removeLimit(at + 1)} onClick={onRemove}>
          {texts.removeShort}
        </Button>
      </div>
    </section>
  );
}
