// The texts of the mails that the product sends, and the addresses of their links.

import { createHash } from "node:crypto";
import type { Lookups, Transaction } from "../../store/core/transaction.ts";
import { countHit } from "../../store/identity/address-limit.ts";
import type { EmailAddress } from "./email.ts";

/** A message to one person, as plain text. */
export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** When it is of no use anymore, such as when its link expires. */
  readonly expiresAt?: Date;
}

/**
 * Sends messages. `send` returns at once: it neither waits nor throws, so that the time of an answer does not tell
 * whether a mail was sent.
 */
export interface Mailer {
  send(message: MailMessage): void;
}

/** Sends messages that are part of a change: each is sent if and only if the transaction commits. */
export interface TransactionalMailer {
  sendWithin(tx: Pick<Transaction, "enqueue">, message: MailMessage): Promise<void>;
}

/** The parts of mails with links: the mailer, and the address of the console. */
export interface Post {
  readonly mailer: Mailer;
  /** Such as "https://guard.example.com", without a slash at its end. */
  readonly publicUrl: string;
}

/** Mails of one kind to one address that others can cause. */
const allowance = { aMinute: 2, anHour: 5 };

/**
 * Counts a mail to the address and returns whether it may be sent. Invitations leave room for mails that the owner of
 * the address requests.
 */
export async function mayMail(
  database: Lookups,
  { key }: EmailAddress,
  now: Date,
  kind: "mail" | "invitation" = "mail",
): Promise<boolean> {
  const name = `${kind}:${createHash("sha256").update(key).digest("base64url")}`;
  return (await countHit(database, name, now, allowance)) === undefined;
}

/** The mail with the link that confirms a new account. */
export function confirmationMail({ publicUrl }: Post, email: EmailAddress, token: string): MailMessage {
  return {
    to: email.text,
    subject: "Confirm your Policy Guard account",
    text: paragraphs(
      "Somebody, hopefully you, has registered this address with Policy Guard. Open this link within a day to begin:",
      `${publicUrl}/register/confirm#token=${token}`,
      "If it was not you, do nothing: without the link there is no account.",
    ),
  };
}

/** The mail to a person who registers an address that has an account already. */
export function knownAddressMail({ publicUrl }: Post, email: EmailAddress): MailMessage {
  return {
    to: email.text,
    subject: "You already have a Policy Guard account",
    text: paragraphs(
      "Somebody, hopefully you, tried to register this address with Policy Guard. It already has an account.",
      `Sign in: ${publicUrl}/login`,
      `Forgot the password? ${publicUrl}/password-reset`,
    ),
  };
}

/** The mail with the link that sets a new password. */
export function passwordResetMail({ publicUrl }: Post, email: EmailAddress, token: string): MailMessage {
  return {
    to: email.text,
    subject: "Set a new Policy Guard password",
    text: paragraphs(
      "Somebody, hopefully you, has asked for a new password. Open this link within an hour to set one:",
      `${publicUrl}/password-reset/confirm#token=${token}`,
      "If it was not you, do nothing: your password stays as it is.",
    ),
  };
}

/** The mail with the link of an invitation. */
export function invitationMail(
  email: EmailAddress,
  facts: { readonly link: string; readonly organization: string; readonly inviter: string; readonly role: string },
): MailMessage {
  const { link, organization, inviter, role } = facts;
  return {
    to: email.text,
    subject: `Invitation to ${inLine(organization)} on Policy Guard`,
    text: paragraphs(
      `${inLine(inviter)} invites you to the organization ${inLine(organization)} on Policy Guard, as ${role}. Open this link within a week to join:`,
      link,
      "If you do not know them, do nothing.",
    ),
  };
}

/** The mail to a person whose request to join was approved. */
export function admissionMail(
  email: EmailAddress,
  facts: { readonly organization: string; readonly role: string; readonly publicUrl: string },
): MailMessage {
  const organization = inLine(facts.organization);
  return {
    to: email.text,
    subject: `You have joined ${organization} on Policy Guard`,
    text: paragraphs(
      `Your request to join the organization ${organization} was approved. You are its ${facts.role} now.`,
      `Sign in: ${facts.publicUrl}/login`,
    ),
  };
}

/** The mail to a person whose account has a second factor from now on. */
export function factorAddedMail(email: EmailAddress): MailMessage {
  return {
    to: email.text,
    subject: "A second factor was added to your account",
    text: paragraphs(
      "A second factor was set up for your Policy Guard account. Signing in asks for its code from now on.",
      "If it was not you, somebody else knows your password or has used a session of yours: set a new password, which ends every session, and ask an admin of your organization, or the operator, to remove the second factor.",
    ),
  };
}

/** The mail to a person whose second factor was removed: by its owner with a code, or by an admin of `organization`. */
export function factorRemovedMail(email: EmailAddress, by: { readonly organization?: string } = {}): MailMessage {
  const happened =
    by.organization === undefined
      ? "The second factor of your Policy Guard account was removed with one of its codes."
      : `An admin of the organization ${inLine(by.organization)} has removed the second factor of your Policy Guard account.`;
  return {
    to: email.text,
    subject: "Your second factor was removed",
    text: paragraphs(
      `${happened} You can now sign in with your password alone.`,
      "Set up a new one when you next sign in. If you did not ask for this, change your password and talk to your admins.",
    ),
  };
}

/** The mail to a member without a second factor whose organization demands one from now on. */
export function factorDemandedMail(
  email: EmailAddress,
  { organization, publicUrl }: { readonly organization: string; readonly publicUrl: string },
): MailMessage {
  const name = inLine(organization);
  return {
    to: email.text,
    subject: `${name} demands a second factor`,
    text: paragraphs(
      `The organization ${name} on Policy Guard demands a second factor of its members from now on, and your account has none. Set one up to reach the organization again; your session goes on:`,
      `${publicUrl}/account`,
      "Whoever signs in through the identity provider of the organization need do nothing.",
    ),
  };
}

/** The mail to a person whose recovery codes were renewed. */
export function recoveryCodesMail(email: EmailAddress): MailMessage {
  return {
    to: email.text,
    subject: "Your recovery codes were renewed",
    text: paragraphs(
      "New recovery codes were made for your Policy Guard account. The former ones no longer work.",
      "If it was not you, somebody has used a session of yours and a code of your second factor: set a new password, which ends every session, and set up the second factor again.",
    ),
  };
}

/** The mail to admins about a webhook that the service has deactivated. */
export function webhookDeactivatedMail(
  email: EmailAddress,
  { organization, url, id }: { readonly organization: string; readonly url: string; readonly id: string },
): MailMessage {
  return {
    to: email.text,
    subject: `A webhook of ${inLine(organization)} was deactivated`,
    text: paragraphs(
      `For five days every delivery to the webhook ${id} of the organization ${inLine(organization)} has failed, so it was deactivated:`,
      inLine(url),
      "Its pending deliveries were dropped. Once the target answers again, activate the webhook and redeliver what it has missed.",
    ),
  };
}

/** The mail to admins about the used share of the month's evaluations. */
export function quotaMail(
  email: EmailAddress,
  facts: {
    readonly organization: string;
    readonly percent: number;
    readonly used: number;
    readonly limit: number;
    readonly resetsAt: Date;
  },
): MailMessage {
  const organization = inLine(facts.organization);
  const isUsedUp = facts.percent >= 100;
  const month = `The plan includes ${facts.limit} evaluations a month; ${facts.used} are used or granted to runtimes. The next month begins at ${facts.resetsAt.toISOString().slice(0, 16).replace("T", " ")} UTC.`;
  return {
    to: email.text,
    subject: isUsedUp
      ? `The evaluations of ${organization} are used up for this month`
      : `${organization} has used ${facts.percent} % of this month's evaluations`,
    text: paragraphs(
      month,
      isUsedUp
        ? "Until then connected runtimes answer 403 plan_limit_exceeded, unless the plan is changed."
        : "Once they are used up, connected runtimes answer 403 plan_limit_exceeded, unless the plan is changed.",
    ),
  };
}

/** The mail to owners about alert rules that could not be evaluated three times in a row. */
export function alertFailureMail(email: EmailAddress, organization: string): MailMessage {
  return {
    to: email.text,
    subject: `Alert rules of ${inLine(organization)} cannot be evaluated`,
    text: paragraphs(
      `Three minutes in a row the alert rules of the organization ${inLine(organization)} could not be compared with what was counted, so nobody is told of anything. Their state is "error".`,
      "They are tried again every minute, and what was missed is made up for, up to 15 minutes. The operator finds the cause in the log of the worker.",
    ),
  };
}

/** The mail to members whom an alert rule names. */
export function alertRuleMail(
  email: EmailAddress,
  facts: {
    readonly organization: string;
    readonly rule: {
      readonly name: string;
      readonly metric: string;
      readonly operator: string;
      readonly threshold: number;
      readonly windowMinutes: number;
      readonly severity: string;
    };
    readonly reason: "threshold" | "no_data" | "renotify" | "resolved";
    readonly value: number | undefined;
    /** What the value belongs to: ids and names. */
    readonly group: readonly string[];
    readonly firedAt: Date;
  },
): MailMessage {
  const { rule, reason, value, group, firedAt } = facts;
  const isOver = reason === "resolved";
  const name = inLine(rule.name);
  const since = `${firedAt.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const measured = value === undefined ? "There was no value" : `The value was ${Number(value.toPrecision(6))}`;
  return {
    to: email.text,
    subject: `${isOver ? "Resolved" : "Alert"}: ${name} (${inLine(facts.organization)})`,
    text: paragraphs(
      isOver ? `The alert is over; it began at ${since}.` : `The alert is open since ${since}.`,
      `${measured} in the last ${rule.windowMinutes} minutes; the rule (${rule.severity}) fires when ${rule.metric} is ${rule.operator} ${rule.threshold}.`,
      group.length === 0 ? "It is about the rule as a whole." : `It is about ${group.map(inLine).join(", ")}.`,
      "Other mails about this rule come 15 minutes later at the earliest.",
    ),
  };
}

/** The mail to owners about a change by the directory that its token does not allow. */
export function directoryRefusedMail(
  email: EmailAddress,
  facts: { readonly organization: string; readonly person: string },
): MailMessage {
  const [organization, person] = [inLine(facts.organization), inLine(facts.person)];
  return {
    to: email.text,
    subject: `The directory of ${organization} tried to change an owner`,
    text: paragraphs(
      `The directory of the organization ${organization} tried to change the role or the membership of ${person}, who is an owner or would become one. It was refused: the directory's token was issued by an admin.`,
      "If the directory is to manage owners too, issue its SCIM token as an owner. Otherwise leave owners out of what the directory assigns.",
    ),
  };
}

/** The mail about the plan, a payment or the use of an organization. */
export function billingMail(
  email: EmailAddress,
  facts: { readonly organization: string; readonly subject: string; readonly text: string },
): MailMessage {
  const organization = inLine(facts.organization);
  return {
    to: email.text,
    subject: `${organization}: ${facts.subject}`,
    text: paragraphs(facts.text, `Plan, use and invoices of ${organization}: GET /v1/billing/summary, or the console.`),
  };
}

/** Tokens that a mail lists, and invitations too. */
const maxNamed = 50;

interface MailedInvitation {
  readonly email: string;
  readonly role: string;
}

interface MailedToken {
  readonly kind: string;
  readonly name: string;
  readonly prefix: string;
}

/**
 * The mail to owners and admins about a former admin, with the tokens and invitations that have ended, and those that
 * stay.
 */
export function departureMail(
  email: EmailAddress,
  facts: {
    readonly organization: string;
    readonly person: string;
    readonly reason: "removed" | "left" | "demoted" | "deactivated";
    readonly revoked: readonly MailedToken[];
    readonly shortened: readonly MailedToken[];
    readonly withdrawn: readonly MailedInvitation[];
    readonly kept: readonly MailedToken[];
  },
): MailMessage {
  const { revoked, shortened, withdrawn, kept } = facts;
  const [organization, person] = [inLine(facts.organization), inLine(facts.person)];
  const happened = {
    removed: `${person} was removed from the organization ${organization}.`,
    left: `${person} has left the organization ${organization}.`,
    deactivated: `${person} was deactivated in the organization ${organization}.`,
    demoted: `${person} is no longer an admin of the organization ${organization}.`,
  }[facts.reason];
  const lists = [
    tokenList("These tokens, made by them or with their tokens, are revoked:", revoked),
    tokenList(
      "Of these tokens, the value from before the last rotation no longer works; the new value does:",
      shortened,
    ),
    invitationList(
      "These open invitations, made by them or with their tokens, are withdrawn. Invite again everybody who should still join:",
      withdrawn,
    ),
    tokenList(
      "These tokens of theirs still work, so that no runtime and no directory stops. If they should no longer know the values, rotate the tokens, or issue the directory a new one:",
      kept,
    ),
  ];
  return {
    to: email.text,
    subject: `Tokens and invitations of somebody who is no longer an admin of ${organization}`,
    text: paragraphs(happened, ...lists.filter((text) => text !== undefined)),
  };
}

function tokenList(heading: string, tokens: readonly MailedToken[]): string | undefined {
  return list(
    heading,
    tokens.map(({ kind, name, prefix }) => `${kind} token "${inLine(name)}" (${prefix}…)`),
  );
}

function invitationList(heading: string, invitations: readonly MailedInvitation[]): string | undefined {
  return list(
    heading,
    invitations.map(({ email, role }) => `${inLine(email)} as ${role}`),
  );
}

function list(heading: string, items: readonly string[]): string | undefined {
  if (items.length === 0) return undefined;
  const lines = items.slice(0, maxNamed).map((item) => `- ${item}`);
  const more = items.length - lines.length;
  return [heading, ...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}

/** A name that other people chose, for a mail: it must neither look like a line of the mail nor fill it. */
export function inLine(name: string): string {
  return name
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, 100);
}

// Tokens come after "#": browsers send that part neither to servers nor as a referrer.
function paragraphs(...texts: readonly string[]): string {
  return `${texts.join("\n\n")}\n`;
}
