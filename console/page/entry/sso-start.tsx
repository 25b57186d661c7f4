import { useState } from "react";
import { startSso } from "../../data/sso.ts";
import { Button } from "../../part/button.tsx";
import { TextField } from "../../part/field.tsx";
import { en } from "../../text/en.ts";
import { EntryForm } from "./entry-form.tsx";

const texts = en.entry.sso;

/** The way to the provider of one's organization: the address comes first, since its domain names the provider. */
export function SsoStart({ next }: { readonly next: string }) {
  const [isOpen, setOpen] = useState(false);
  if (!isOpen) return <Button onClick={() => setOpen(true)}>{texts.start}</Button>;
  return (
    <EntryForm submit={texts.start} onSubmit={(text) => startSso({ email: text("sso-email") }, next)}>
      {(faultOf) => (
        <TextField
          label={texts.email}
          hint={texts.startHint}
          fault={faultOf("email")}
          name="sso-email"
          type="email"
          autoComplete="username"
          autoFocus
          required
        />
      )}
    </EntryForm>
  );
}
