import { useEnvironments } from "../../data/choice/environment.ts";
import { useProjects } from "../../data/choice/project.ts";
import { Button } from "../../part/button.tsx";
import { EnvironmentSelect } from "../../part/environment-select.tsx";
import { Select, TypedFilter } from "../../part/field.tsx";
import { outcomes } from "../../part/judgement/outcome-name.ts";
import { ProjectSelect } from "../../part/project-select.tsx";
import { en } from "../../text/en.ts";
import { dateTime } from "../../text/format.ts";
import { AddFilter } from "./add-filter.tsx";
import { type Chip, chips, choicesOf, defaultRange, type TraceSearch } from "./search.ts";
import style from "./trace.module.css";

const texts = en.traces;

/** The filters of traces: fields, chips, and what is added by name. */
export function TraceFilters({
  search,
  onChange,
  anyTime,
  without = [],
}: {
  readonly search: TraceSearch;
  readonly onChange: (part: Partial<Record<keyof TraceSearch, string | undefined>>) => void;
  /** What it is called not to narrow by time; without it there is always a range. */
  readonly anyTime?: string;
  /** What is not offered to be added. */
  readonly without?: readonly Chip[];
}) {
  const { projects, further } = useProjects(search.project);
  const environments = useEnvironments(search.project === undefined ? projects.map(({ id }) => id) : [search.project]);
  return (
    <search className={style.filters}>
      <Select
        label={texts.range}
        value={search.range ?? (anyTime === undefined ? defaultRange : "")}
        onChange={(event) => onChange({ range: event.target.value || undefined })}
      >
        {anyTime !== undefined && <option value="">{anyTime}</option>}
        {Object.entries(texts.ranges).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        label={texts.outcome}
        value={search.outcome ?? ""}
        onChange={(event) => onChange({ outcome: event.target.value || undefined })}
      >
        <option value="">{en.common.all}</option>
        {outcomes.map((name) => (
          <option key={name} value={name}>
            {en.outcome[name]}
          </option>
        ))}
      </Select>
      {(projects.length > 1 || search.project !== undefined) && (
        <ProjectSelect
          projects={projects}
          further={further}
          value={search.project}
          all
          onChange={(project) => onChange({ project })}
        />
      )}
      <EnvironmentSelect
        environments={environments}
        value={search.environment}
        onChange={(environment) => onChange({ environment })}
      />
      <TypedFilter label={texts.rule} value={search.rule} onChange={(rule) => onChange({ rule })} />
      <AddFilter search={search} without={without} onAdd={(name, value) => onChange({ [name]: value })} />
      <Chips search={search} onRemove={(name) => onChange({ [name]: undefined })} />
    </search>
  );
}

/** The filters that another page set: each is named and can be removed. */
function Chips({ search, onRemove }: { readonly search: TraceSearch; readonly onRemove: (name: Chip) => void }) {
  const set = chips.filter((name) => search[name] !== undefined);
  if (set.length === 0) return null;
  return (
    <ul className={style.chips} aria-label={texts.chips}>
      {set.map((name) => (
        <li key={name}>
          <Button kind="quiet" title={texts.removeChip} onClick={() => onRemove(name)}>
            {texts.chip[name]}: {chipText(name, search[name] ?? "")} ✕
          </Button>
        </li>
      ))}
    </ul>
  );
}

function chipText(name: Chip, value: string): string {
  if (name === "since" || name === "until") return dateTime(value);
  return choicesOf[name] === undefined ? value : (texts.choices[value] ?? value);
}
