import { type AlertRuleState, AlertSeverity, AlertState } from "../../../gen/policyguard/control/v1/alert_pb.ts";
import { Badge } from "../../part/badge.tsx";
import { en } from "../../text/en.ts";
import { ruleStates, severities } from "./metric.ts";

const texts = en.alerts;
const tones: Readonly<Record<string, "plain" | "good" | "notice" | "bad">> = {
  ok: "good",
  pending: "notice",
  firing: "bad",
  recovering: "notice",
  error: "bad",
};

/** The state of a rule. */
export function RuleState({ state }: { readonly state: AlertRuleState }) {
  const name = ruleStates.nameOf(state);
  return (
    <Badge
      tone={tones[name] ?? "plain"}
      {...(texts.stateHints[name] === undefined ? {} : { title: texts.stateHints[name] })}
    >
      {texts.states[name] ?? name}
    </Badge>
  );
}

/** How urgent an alert is, and whether it is open. */
export function EpisodeState({ state, severity }: { readonly state: AlertState; readonly severity: AlertSeverity }) {
  const isOpen = state === AlertState.FIRING;
  return (
    <>
      <Badge tone={isOpen ? "bad" : "plain"}>{isOpen ? texts.open : texts.over}</Badge>{" "}
      <Badge
        tone={severity === AlertSeverity.CRITICAL ? "bad" : severity === AlertSeverity.WARNING ? "notice" : "plain"}
      >
        {texts.severities[severities.nameOf(severity)]}
      </Badge>
    </>
  );
}
