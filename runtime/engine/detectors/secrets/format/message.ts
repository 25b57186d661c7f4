// Token formats of messages and mail. Formats are facts that the providers publish.

import type { TokenFormat } from "../token.ts";
import { mixed } from "./judge.ts";

const slack = "https://docs.slack.dev/authentication/tokens";

/** The formats. */
export const messageTokens: readonly TokenFormat[] = [
  {
    name: "slack",
    literal: "xoxb-",
    after: "(?:[0-9]{10,13}-[0-9]{10,13}(?:-[A-Za-z0-9-]{0,60})?|[0-9]{8,14}-[A-Za-z0-9]{18,26})",
    score: 0.95,
    reference: slack,
  },
  { name: "slack", literal: "xoxp-", after: "(?:[0-9]{8,13}-){3}[A-Za-z0-9-]{28,34}", score: 0.95, reference: slack },
  {
    name: "slack",
    literal: "xoxe",
    after: "(?:\\.xox[bp])?-[0-9]-[A-Za-z0-9]{140,170}",
    score: 0.95,
    reference: slack,
  },
  { name: "slack", literal: "xoxe-", after: "(?:[0-9]{10,13}-){3}[A-Za-z0-9-]{28,34}", score: 0.95, reference: slack },
  ...["xoxo-", "xoxs-"].map((literal) => ({
    ...{
      name: "slack",
      literal,
      after: "[0-9]{1,13}-[0-9]{1,13}-[0-9]{1,13}-[a-fA-F0-9]{10,64}",
      score: 0.95,
      reference: slack,
    },
  })),
  ...["xoxa-", "xoxr-"].map((literal) => ({
    ...{
      name: "slack",
      literal,
      after: "(?:[0-9]-)?[0-9A-Za-z]{8,48}(?![A-Za-z0-9_.-])",
      score: 0.9,
      reference: slack,
    },
  })),
  {
    name: "slack",
    literal: "xapp-",
    after: "[0-9]-[A-Za-z0-9]{1,15}-[0-9]{1,15}-[A-Za-z0-9]{1,80}",
    score: 0.9,
    reference: slack,
    entropy: 2.5,
  },
  {
    name: "slack",
    literal: "xoxc-",
    after: "[0-9]{10,13}-[0-9]{10,13}-[0-9]{10,13}-[a-f0-9]{64}",
    score: 0.97,
    reference: slack,
  },
  { name: "slack", literal: "xoxd-", after: "[A-Za-z0-9%/+=]{80,300}", score: 0.95, reference: slack },
  {
    name: "slack_webhook",
    literal: "hooks.slack.com/",
    after: "(?:services|workflows|triggers)/[A-Za-z0-9_+/]{35,70}",
    score: 0.95,
    reference: "https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks",
  },
  {
    name: "teams_webhook",
    literal: ".webhook.office.com/webhookb2/",
    before: "https://[a-z0-9]{1,63}",
    after:
      "[a-z0-9]{8}(?:-[a-z0-9]{4}){3}-[a-z0-9]{12}@[a-z0-9]{8}(?:-[a-z0-9]{4}){3}-[a-z0-9]{12}/IncomingWebhook/[a-z0-9]{32}/[a-z0-9]{8}(?:-[a-z0-9]{4}){3}-[a-z0-9]{12}",
    score: 0.97,
    reference:
      "https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook",
  },
  {
    name: "discord_webhook",
    literal: "/api/webhooks/",
    before: "https://(?:canary\\.|ptb\\.)?discord(?:app)?\\.com",
    after: "[0-9]{17,20}/[A-Za-z0-9_-]{60,80}",
    score: 0.97,
    reference: "https://docs.discord.com/developers/resources/webhook",
  },
  {
    name: "discord",
    literal: ".",
    before: "\\b[MNO][A-Za-z0-9_-]{23,25}",
    after: "[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,38}(?![A-Za-z0-9_-])",
    score: 0.9,
    judge: mixed(0.9),
    reference: "https://docs.discord.com/developers/reference",
  },
  {
    name: "telegram",
    literal: ":A",
    before: "\\b[0-9]{5,16}",
    after: "[A-Za-z0-9_-]{34}(?![A-Za-z0-9_-])",
    score: 0.9,
    judge: mixed(0.9),
    reference: "https://core.telegram.org/bots/api",
  },
  {
    name: "twilio",
    literal: "SK",
    after: "[0-9a-fA-F]{32}",
    score: 0.9,
    entropy: 3.2,
    reference: "https://www.twilio.com/docs/iam/api-keys",
  },
  {
    name: "twilio",
    literal: "AC",
    after: "[0-9a-f]{32}",
    score: 0.5,
    entropy: 3.2,
    reference: "https://www.twilio.com/docs/iam/api-keys",
  },
  {
    name: "sendgrid",
    literal: "SG.",
    after: "[A-Za-z0-9=_.-]{66}",
    score: 0.97,
    reference: "https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys",
  },
  {
    name: "brevo",
    literal: "xkeysib-",
    after: "[a-f0-9]{64}-[A-Za-z0-9]{16}",
    score: 0.97,
    reference: "https://developers.brevo.com/docs/getting-started",
  },
  {
    name: "brevo",
    literal: "xsmtpsib-",
    after: "[a-f0-9]{64}-[A-Za-z0-9]{16}",
    score: 0.97,
    reference: "https://developers.brevo.com/docs/getting-started",
  },
  {
    name: "mailgun",
    literal: "key-",
    after: "[a-f0-9]{32}",
    score: 0.85,
    reference: "https://documentation.mailgun.com/",
  },
  {
    name: "mailgun",
    literal: "pubkey-",
    after: "[a-f0-9]{32}",
    score: 0.6,
    reference: "https://documentation.mailgun.com/",
  },
  {
    name: "mailchimp",
    literal: "-us",
    before: "\\b[0-9a-f]{32}",
    after: "[0-9]{1,2}",
    score: 0.9,
    reference: "https://mailchimp.com/developer/marketing/guides/quick-start/",
  },
  {
    name: "mailersend",
    literal: "mlsn.",
    after: "[a-f0-9]{64}",
    score: 0.97,
    reference: "https://developers.mailersend.com/",
  },
  {
    name: "resend",
    literal: "re_",
    after: "[A-Za-z0-9]{8}_[A-Za-z0-9]{24}",
    score: 0.95,
    reference: "https://resend.com/docs/api-reference/introduction",
  },
];
