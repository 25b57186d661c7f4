// Members, invitations and requests to join.

import { counted } from "./format.ts";

/** What roles are called, and what they may do. */
export const roleTexts = {
  names: { viewer: "Viewer", editor: "Editor", admin: "Admin", owner: "Owner" } as Readonly<Record<string, string>>,
  hints: {
    viewer: "Reads everything but tokens, billing and secrets.",
    editor: "Also writes policies, publishes, reviews traces, works with datasets.",
    admin: "Also activates in protected environments and manages tokens, team, webhooks and billing.",
    owner: "Also transfers the ownership, deletes the organization and removes admins.",
  } as Readonly<Record<string, string>>,
};

/** The texts of the team page. */
export const teamTexts = {
  title: "Team",
  total: (n: number) => counted(n, "person", "people"),
  label: "Members and invitations",
  invite: "Invite…",
  person: "Person",
  role: "Role",
  factor: "Second factor",
  since: "Since",
  state: "State",
  states: { invited: "invited", active: "active", deactivated: "deactivated" } as Readonly<Record<string, string>>,
  on: "on",
  off: "off",
  you: "you",
  byDirectory: "directory",
  byDirectoryHint: "Your directory manages this person by SCIM: role and membership change there.",
  unproven: "address unproven",
  unprovenHint: "Nobody has proved yet that the address is theirs.",
  invitedBy: (by: string) => `invited by ${by}`,
  email: "E-mail",
  inviteTitle: "Invite a person",
  inviteText: "The link works once, for a week. The account that accepts it has this address.",
  confirmInvite: "Invite",
  linkTitle: "The invitation's link, shown once",
  linkText: (email: string) =>
    `This installation sends no mail. Give the link to ${email} yourself: whoever opens it joins.`,
  actions: (person: string) => `Actions for ${person}`,
  changeRole: "Change the role…",
  changeTitle: (person: string) => `Role of ${person}`,
  lowerText: "An admin or owner who gets a lower role loses their tokens and open invitations.",
  confirmChange: "Change the role",
  remove: "Remove…",
  removeTitle: (person: string) => `Remove ${person}?`,
  removeText:
    "Access ends at once. Their admin and CI tokens are revoked and their open invitations withdrawn; runtime tokens stay. Owners and admins get a mail that lists both.",
  confirmRemove: "Remove the member",
  withdraw: "Withdraw…",
  withdrawTitle: (person: string) => `Withdraw the invitation of ${person}?`,
  withdrawText: "The link stops working at once.",
  confirmWithdraw: "Withdraw the invitation",
  dropFactor: "Remove the second factor…",
  dropTitle: (person: string) => `Remove the second factor of ${person}?`,
  dropText: "For somebody who lost it. They sign in with the password alone until they set up another.",
  confirmDrop: "Remove the second factor",
  transfer: "Make owner…",
  transferTitle: (person: string) => `Make ${person} the owner?`,
  transferText: "You become an admin in the same step. All tokens stay valid.",
  confirmTransfer: "Transfer the ownership",
  leave: "Leave…",
  leaveTitle: (organization: string) => `Leave ${organization}?`,
  leaveText:
    "Your access ends at once, and your admin and CI tokens are revoked. Somebody has to invite you to return.",
  confirmLeave: "Leave",
  requests: "Requests to join",
  requestsText: "An unproven address may be somebody else's: ask before you approve.",
  noRequests: "Nobody waits for an answer.",
  approve: "Approve…",
  approveTitle: (person: string) => `Let ${person} join?`,
  confirmApprove: "Approve",
  reject: "Reject",
  link: "Link to ask with",
};
