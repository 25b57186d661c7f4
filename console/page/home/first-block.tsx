import { useQuery } from "@connectrpc/connect-query";
import { Link } from "@tanstack/react-router";
import { TraceService } from "../../../gen/policyguard/control/v1/trace_service_pb.ts";
import { CaptureMode } from "../../../gen/policyguard/policy/v1/record_pb.ts";
import { spansOf } from "../../data/finding.ts";
import { MarkedText } from "../../part/judgement/marked-text.tsx";
import { Outcome } from "../../part/judgement/outcome.tsx";
import { outcomeName } from "../../part/judgement/outcome-name.ts";
import { Answered } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import style from "./home.module.css";

const texts = en.home.steps;

/** The first blocked evaluation, as it arrives: what was sent, as far as it is kept, and what was found in it. */
export function FirstBlock({ orgId, traceId }: { readonly orgId: string; readonly traceId: string }) {
  const query = useQuery(TraceService.method.getTrace, { orgId, traceId });
  return (
    <>
      <Answered query={query} rows={1}>
        {({ trace }) =>
          trace && (
            <div role="status">
              <p className={style.verdict}>
                <Outcome value={outcomeName(trace.outcome)} />
                {trace.decidedByRule !== undefined && <code>{trace.decidedByRule}</code>}
              </p>
              {trace.capture === CaptureMode.REDACTED && <p className={style.hint}>{texts.redacted}</p>}
              {trace.segments.map(({ id, text }) => (
                <MarkedText
                  key={id}
                  text={text}
                  // A redacted text has other offsets than the findings speak of.
                  spans={trace.capture === CaptureMode.FULL ? spansOf(trace.findings, id) : []}
                />
              ))}
            </div>
          )
        }
      </Answered>
      <Link to="/o/$org/traces" params={{ org: orgId }} search={{ trace: traceId }}>
        {texts.seen}
      </Link>
    </>
  );
}
