import { useQuery } from "@connectrpc/connect-query";
import { Link, useParams } from "@tanstack/react-router";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { failureOf } from "../../data/failure.ts";
import { useOrganization } from "../../data/organization.ts";
import { Page } from "../../part/page.tsx";
import { Empty, Failed, Loading } from "../../part/state.tsx";
import { useTold } from "../../part/told.ts";
import { en } from "../../text/en.ts";
import { TraceContent } from "./drawer.tsx";
import { WithNotes } from "./notes.tsx";
import style from "./trace.module.css";

const texts = en.traces;

/** One trace at an address of its own, for links to it. */
export function TracePage() {
  const { orgId } = useOrganization();
  const { trace: traceId } = useParams({ from: "/o/$org/traces/$trace" });
  const { data, error, refetch } = useQuery(TraceService.method.getTrace, { orgId, traceId });
  const isGone = error !== null && ["gone", "invalid"].includes(failureOf(error).kind);
  useTold(isGone ? error : undefined);
  return (
    <Page
      title={texts.title1}
      note={
        <Link to="/o/$org/traces" params={{ org: orgId }}>
          {texts.all}
        </Link>
      }
    >
      <WithNotes>
        {isGone && <Empty title={en.review.gone} text={texts.goneText} />}
        {error !== null && !isGone && <Failed error={error} onRetry={refetch} />}
        {data === undefined && error === null && <Loading />}
        {data?.trace !== undefined && (
          <div className={style.review}>
            <TraceContent key={traceId} trace={data.trace} />
          </div>
        )}
      </WithNotes>
    </Page>
  );
}
