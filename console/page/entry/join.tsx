import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { TeamService } from "../../../gen/policyguard/control/v1/team_service_pb.ts";
import { isId } from "../../data/id.ts";
import { perform } from "../../data/perform.ts";
import { TextArea } from "../../part/field.tsx";
import { useUnsaved } from "../../part/form/unsaved.ts";
import { Empty } from "../../part/state.tsx";
import { en } from "../../text/en.ts";
import { EntryCard } from "./card.tsx";
import { EntryForm } from "./entry-form.tsx";

const texts = en.entry.join;

/** Where somebody who is signed in asks to join an organization. */
export function JoinPage({ orgId }: { readonly orgId: string }) {
  const [isSent, setSent] = useState(false);
  const { typed, send } = useUnsaved();
  const ask = async (text: (name: string) => string) => {
    const message = text("message").replace(/\s+/g, " ").trim();
    await perform(TeamService.method.askToJoin, message === "" ? { orgId } : { orgId, message });
    setSent(true);
  };
  return (
    <EntryCard title={texts.title} links={<Link to="/">{texts.home}</Link>}>
      {!isId(orgId) && <Empty title={en.failure.gone} text={texts.noId} />}
      {isSent && <Empty title={texts.sent} text={texts.sentText} />}
      {isId(orgId) && !isSent && (
        <EntryForm submit={texts.submit} onSubmit={(text) => send(() => ask(text))}>
          {(faultOf) => (
            <>
              <p>{texts.text(orgId)}</p>
              <TextArea
                label={texts.message}
                hint={texts.messageHint}
                fault={faultOf("message")}
                name="message"
                maxLength={1000}
                onChange={typed}
              />
            </>
          )}
        </EntryForm>
      )}
    </EntryCard>
  );
}
