import { en } from "../../text/en.ts";
import { LinkButton } from "../link-button.tsx";
import { NothingYet } from "./nothing-yet.tsx";

const texts = en.environments;

/** Says that the organization has no project, and leads to where one is made. */
export function NoProject({ makeFor }: { readonly makeFor: string | undefined }) {
  return (
    <NothingYet of="projects" title={texts.noProjects} text={texts.noProjectsText}>
      {makeFor === undefined ? (
        <p>{texts.makeProjectAsk}</p>
      ) : (
        <LinkButton to="/o/$org/settings" params={{ org: makeFor }}>
          {texts.makeProject}
        </LinkButton>
      )}
    </NothingYet>
  );
}
