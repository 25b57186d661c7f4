import type { ErrorComponentProps } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Button } from "../part/button.tsx";
import { Empty, Failed, Loading } from "../part/state.tsx";
import { en } from "../text/en.ts";
import { loadAnew, MissingFile } from "./missing-file.ts";

/** A page that could not be shown. */
export function PageError({ error }: ErrorComponentProps) {
  if (error instanceof MissingFile) return <WithoutFile />;
  return <Failed error={error} onRetry={() => location.reload()} />;
}

/**
 * A page of which a file is missing. A tab that is older than the server is loaded anew, which drafts survive. A file that
 * is missing even then belongs to a build that the server does not have: nothing in the browser mends that.
 */
function WithoutFile() {
  const [isGivenUp, setGivenUp] = useState(false);
  useEffect(() => {
    // Whoever goes on meanwhile is on a page that has its files.
    const left = new AbortController();
    void loadAnew(left.signal).then((isLoading) => !left.signal.aborted && setGivenUp(!isLoading));
    return () => left.abort();
  }, []);
  if (!isGivenUp) return <Loading />;
  return (
    <div role="alert">
      <Empty title={en.failure.missingFile} text={en.failure.missingFileText}>
        <Button kind="primary" onClick={() => location.reload()}>
          {en.failure.reload}
        </Button>
      </Empty>
    </div>
  );
}
