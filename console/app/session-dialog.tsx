import { goOnAs, tellSignIn } from "../data/session.ts";
import { startSsoInNewTab } from "../data/sso.ts";
import { SignInForm } from "../page/entry/sign-in-form.tsx";
import { useBusy } from "../part/busy.ts";
import { Button } from "../part/button.tsx";
import { Dialog, DialogActions } from "../part/dialog.tsx";
import { Failed } from "../part/state.tsx";
import { en } from "../text/en.ts";

/**
 * Signs in again without leaving the page, which waits behind it. A provider is gone to in another tab, and whoever
 * signs in there is heard of here.
 */
export function SessionDialog({
  email,
  accountId,
  onSignedIn,
}: {
  readonly email: string;
  readonly accountId: string;
  /** Called with whether it is the person whose page this is. */
  readonly onSignedIn: (isSame: boolean) => void;
}) {
  const { run, isBusy, error } = useBusy();
  const goOn = async () => {
    const isSame = await goOnAs(accountId);
    tellSignIn();
    onSignedIn(isSame);
  };
  return (
    <Dialog title={en.signIn.title} isFirm onClose={() => {}}>
      <p>{en.signIn.again}</p>
      <SignInForm email={email} onSignedIn={goOn} />
      {error !== undefined && <Failed error={error} />}
      <DialogActions>
        <Button disabled={isBusy} onClick={() => run(() => startSsoInNewTab({ email }))}>
          {en.entry.sso.startInTab}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
