import { queryClient } from "../data/client.ts";
import { meQuery } from "../data/session.ts";
import { SignInForm } from "../page/entry/sign-in-form.tsx";
import { Dialog } from "../part/dialog.tsx";
import { en } from "../text/en.ts";

/** Signs in again without leaving the page. Somebody else's sign-in loads the page anew. */
export function SessionDialog({
  email,
  accountId,
  onSignedIn,
}: {
  readonly email: string;
  readonly accountId: string;
  readonly onSignedIn: () => void;
}) {
  const goOn = async () => {
    const me = await queryClient.fetchQuery({ ...meQuery, staleTime: 0 });
    if (me.account?.id !== accountId) return location.assign("/");
    onSignedIn();
    await queryClient.invalidateQueries();
  };
  return (
    <Dialog title={en.signIn.title} isFirm onClose={() => {}}>
      <p>{en.signIn.again}</p>
      <SignInForm email={email} onSignedIn={goOn} />
    </Dialog>
  );
}
