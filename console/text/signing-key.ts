// The keys that sign bundles.

/** The texts of the page of signing keys. */
export const signingKeyTexts = {
  title: "Signing keys",
  bundles: "Of bundles",
  bundlesText:
    "Runtimes enforce only what one of these keys has signed. The newest signs; those before it sign too until they are revoked, for runtimes that do not know the newest yet.",
  noBundleKey: "No key yet: the first publish makes it, or the first runtime that enrols.",
  log: "Of the log of evidence",
  logText: "They sign checkpoints and nothing else. Whoever verifies an export needs them.",
  noLogKey: "No key yet: the first checkpoint makes it, within a minute of the first change.",
  key: "Key",
  state: "State",
  states: { active: "active", retiring: "retiring", revoked: "revoked" } as Readonly<Record<string, string>>,
  stateHints: {
    active: "The newest: it signs",
    retiring: "Signs too, until it is revoked",
    revoked: "Its signatures are refused",
  } as Readonly<Record<string, string>>,
  holder: "Private half",
  holders: { database: "in the database, sealed", signer: "in the external signer" } as Readonly<
    Record<string, string>
  >,
  created: "Created",
  replaced: "Replaced",
  revoked: "Revoked",
  rotate: "Rotate…",
  rotateTitle: "Make a new key?",
  rotateText:
    "It signs from now on, together with the keys before it, so runtimes notice nothing. All active bundles are signed again at once.",
  rotateLogText:
    "It signs from now on, together with the keys before it. The next checkpoint, within a minute, has the signatures of both; verifiers take the new key from the signed key set.",
  confirmRotate: "Make the new key",
  revoke: "Revoke…",
  revokeOf: (kid: string) => `Revoke ${kid}`,
  revokeTitle: (kid: string) => `Revoke ${kid}?`,
  revokeText:
    "For ever: whatever only this key signed is refused, also by a runtime from its own disk. All active bundles are signed again at once.",
  revokeActive:
    "It is the key that signs now, so a new one is made in its place. Connected runtimes follow within seconds; bundle files that only this key signed have to be made again.",
  revokeLogText:
    "For ever: checkpoints that only this key signed are no longer trusted. Those that a newer key signed too stay as they are.",
  revokeActiveLog: "It is the key that signs now, so a new one is made in its place.",
  confirmRevoke: "Revoke the key",
  fleet: "See which runtimes are behind",
};
