import type { ComponentProps } from "react";
import { en } from "../text/en.ts";
import type { Asked } from "./field.tsx";
import { FoundChoice } from "./form/found-choice.tsx";

/** A choice among projects; `all` offers to choose none. */
export function ProjectSelect({
  projects,
  further,
  value,
  asked,
  all = false,
  onChange,
}: {
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  readonly further: ComponentProps<typeof FoundChoice>["further"];
  readonly value: string | undefined;
  /** The call that answers the projects, in forms that wait for it. */
  readonly asked?: Asked;
  readonly all?: boolean;
  readonly onChange: (id: string | undefined) => void;
}) {
  return (
    <FoundChoice
      label={en.environments.project}
      none={all ? en.common.all : undefined}
      {...(asked === undefined ? {} : { asked })}
      choices={projects}
      further={further}
      value={value ?? ""}
      onChange={(id) => onChange(id || undefined)}
    />
  );
}
