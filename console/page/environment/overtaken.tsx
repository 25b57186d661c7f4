import { useQuery } from "@connectrpc/connect-query";
import { useEffect, useRef } from "react";
import type { Activation } from "../../../gen/policyguard/control/v1/bundle_pb.ts";
import { BundleService } from "../../../gen/policyguard/control/v1/bundle_service_pb.ts";
import { Ago } from "../../part/ago.tsx";
import { Answered } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import style from "./environment.module.css";
import { Folded } from "./folded.tsx";
import type { Place } from "./place.ts";
import { activationText } from "./state.ts";

const texts = en.environments;

/** What somebody else has put into force while this person was about to do the same. */
export function Overtaken({ place }: { readonly place: Place }) {
  const query = useQuery(BundleService.method.listActivations, { ...place, limit: 1 });
  const notice = useRef<HTMLDivElement>(null);
  // The dialog may be scrolled down to the button that was pressed.
  useEffect(() => {
    notice.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div ref={notice} className={style.section}>
      <p role="alert">{texts.overtaken}</p>
      <Answered query={query} rows={1}>
        {({ activations: [newest] }) =>
          newest?.isInForce === true ? <InForce activation={newest} /> : <p>{texts.nothingNow}</p>
        }
      </Answered>
    </div>
  );
}

function InForce({ activation }: { readonly activation: Activation }) {
  const { version, createdBy, activatedAt, message } = activation;
  return (
    <p>
      <strong>{en.common.version(version)}</strong> · {activationText(activation)} · {createdBy} ·{" "}
      <Ago time={activatedAt} />
      {message !== undefined && (
        <span className={style.by}>
          <Folded text={message} />
        </span>
      )}
    </p>
  );
}
