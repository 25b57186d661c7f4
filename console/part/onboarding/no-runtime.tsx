import { en } from "../../text/en.ts";
import { CopyText } from "../copy/copy-text.tsx";
import { LinkButton } from "../link-button.tsx";
import { NothingYet } from "./nothing-yet.tsx";

const texts = en.fleet;

/** Says that nothing has been evaluated yet, how that begins, and where the token for it is issued. */
export function NoRuntime({
  title = texts.empty,
  start,
  issueFor,
}: {
  readonly title?: string;
  /** The command that starts a runtime, with a place for its token. */
  readonly start: string;
  /** The organization whose tokens the person may issue; undefined where they may not. */
  readonly issueFor: string | undefined;
}) {
  return (
    <NothingYet of="runtimes" title={title} text={texts.emptyText}>
      <CopyText label={texts.start} text={start} />
      {issueFor === undefined ? (
        <p>{texts.issueAsk}</p>
      ) : (
        <LinkButton to="/o/$org/settings/tokens" params={{ org: issueFor }} search={{ issue: "runtime" }}>
          {texts.issue}
        </LinkButton>
      )}
    </NothingYet>
  );
}
