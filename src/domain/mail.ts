// What the product writes to people. The mailer delivers; here is what it says and where its links lead.

import { createHash } from "node:crypto";
import { countHit } from "../store/address-limit.ts";
import type { Database, Transaction } from "../store/database.ts";
import type { EmailAddress } from "./email.ts";

/** A message to one person, as plain text. */
export interface MailMessage {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** From when on it says nothing any more, such as when its link has ended. */
  readonly expiresAt?: Date;
}

/**
 * Delivers messages. `send` takes the message over and returns at once: it neither waits nor throws, so that no answer tells by
 * its time whether something was mailed.
 */
export interface Mailer {
  send(message: MailMessage): void;
}

/** Delivers messages that are part of a change: each is sent if and only if the transaction commits. */
export interface TransactionalMailer {
  sendWithin(tx: Pick<Transaction, "enqueue">, message: MailMessage): Promise<void>;
}

/** What mails need: who delivers them, and the address of the console that their links lead to. */
export interface Post {
  readonly mailer: Mailer;
  /** Such as "https://guard.example.com", without a slash at its end. */
  readonly publicUrl: string;
}

/** Most mails of one kind to one address that others can cause. */
const allowance = { aMinute: 2, anHour: 5 };

/** Whether one more mail may go to the address; counts it. Invitations leave room for what the owner of the address asks for. */
export async function mayMail(
  database: Database,
  { key }: EmailAddress,
  now: Date,
  kind: "mail" | "invitation" = "mail",
): Promise<boolean> {
  const name = `${kind}:${createHash("sha256").update(key).digest("base64url")}`;
  return (await countHit(database, name, now, allowance)) === undefined;
}

/** With the link that begins an account. */
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

/** To somebody who registers an address that has an account. */
export function knownAddressMail({ publicUrl }: Post, email: EmailAddress): MailMessage {
  return {
    to: email.text,
    subject: "You have a Policy Guard account already",
    text: paragraphs(
      "Somebody, hopefully you, tried to register this address with Policy Guard. It has an account already.",
      `Sign in: ${publicUrl}/login`,
      `Forgot the password? ${publicUrl}/password-reset`,
    ),
  };
}

/** With the link that sets a new password. */
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

/** With the link of an invitation. */
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

/** To somebody whose wish to join was granted. */
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

/** To somebody whose second factor an admin removed. */
export function factorRemovedMail(
  email: EmailAddress,
  { organization }: { readonly organization: string },
): MailMessage {
  return {
    to: email.text,
    subject: "Your second factor was removed",
    text: paragraphs(
      `An admin of the organization ${inLine(organization)} has removed the second factor of your Policy Guard account. Your password alone signs you in now.`,
      "Set up a new one when you sign in next. If you did not ask for this, change your password and talk to your admins.",
    ),
  };
}

// Others chose these names: they must neither look like lines of ours nor fill the mail.
function inLine(name: string): string {
  return name
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim()
    .slice(0, 100);
}

// Tokens stand behind "#": what stands there is sent neither to servers nor as a referrer.
function paragraphs(...texts: readonly string[]): string {
  return `${texts.join("\n\n")}\n`;
}
