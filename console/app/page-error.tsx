import type { ErrorComponentProps } from "@tanstack/react-router";
import { Button } from "../part/button.tsx";
import { Empty, Failed } from "../part/state.tsx";
import { en } from "../text/en.ts";
import { isMissingFile } from "./missing-file.ts";

/**
 * A page that could not be shown. A file that is missing although the page was loaded anew belongs to a build that the
 * server does not have: nothing in the browser mends that, so nothing repeats by itself.
 */
export function PageError({ error }: ErrorComponentProps) {
  const reload = () => location.reload();
  if (!isMissingFile(error)) return <Failed error={error} onRetry={reload} />;
  return (
    <div role="alert">
      <Empty title={en.failure.missingFile} text={en.failure.missingFileText}>
        <Button kind="primary" onClick={reload}>
          {en.failure.reload}
        </Button>
      </Empty>
    </div>
  );
}
