import { type Appearance, clock, density, theme, useAppearance } from "../../part/appearance.ts";
import { Select } from "../../part/field.tsx";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { en } from "../../text/en.ts";

const texts = en.appearance;

/** How the console looks in this browser. */
export function AppearancePanel() {
  return (
    <Panel title={texts.title} text={texts.text}>
      <div className={layout.pair}>
        <Appearing of={theme} label={texts.theme} names={texts.themes} />
        <Appearing of={density} label={texts.density} names={texts.densities} />
        <Appearing of={clock} label={texts.clock} names={texts.clocks} hint={texts.clockHint} />
      </div>
    </Panel>
  );
}

function Appearing<Value extends string>({
  of,
  label,
  names,
  hint,
}: {
  readonly of: Appearance<Value>;
  readonly label: string;
  readonly names: Readonly<Record<Value, string>>;
  readonly hint?: string;
}) {
  return (
    <Select label={label} hint={hint} value={useAppearance(of)} onChange={({ target }) => of.choose(target.value)}>
      {of.values.map((each) => (
        <option key={each} value={each}>
          {names[each]}
        </option>
      ))}
    </Select>
  );
}
