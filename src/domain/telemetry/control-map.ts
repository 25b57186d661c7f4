// Which entries of the log speak to which control of the usual frameworks. The words are the project's own, not those
// of the frameworks: what the entries show, and what somebody has to show by other means. Nothing here claims that a
// control is met.

/** A control of a framework, and the entries that speak to it. */
export interface Control {
  /** Name in filters. */
  readonly id: string;
  readonly framework: string;
  /** As the framework numbers it. */
  readonly control: string;
  readonly title: string;
  /** What its entries show. */
  readonly shows: string;
  /** What they do not show. */
  readonly doesNotShow: string;
  /** Actions of its entries, or their kinds as "team.*". */
  readonly actions: readonly string[];
  /** Detectors of the catalog whose rules work towards it. */
  readonly detectors?: readonly string[];
  /** How a policy names it in `metadata.controls`. */
  readonly label?: string;
}

const access = ["team.*", "scim.*"];
const signIn = ["sso.*", "account.*", "token.*"];
const guardChanges = [
  ...["policy.*", "pack.*", "list.*", "language.*", "output_schema.*", "detector_backend.*"],
  ...["bundle.*", "gates.*", "gate.*", "environment.*", "override.*"],
];
const watching = ["alert_rule.*", "webhook.*", "runtime.*", "agent.*"];
const measuring = ["benchmark.*", "calibration.*", "dataset.*", "replay.*"];
const forgetting = ["erasure.*", "retention.*", "evidence.forget"];
const records = ["evidence.*", "retention.*", "trace.*"];

const soc2 = "SOC 2 (Trust Services Criteria 2017)";
const iso = "ISO/IEC 27001:2022, Annex A";
const euAct = "EU AI Act (Regulation 2024/1689)";
const nist = "NIST AI RMF 1.0";

const owasp = "OWASP Top 10 for LLM Applications 2025";

const changeLimits = "Changes of the applications that are guarded, and of the infrastructure that they run on.";

/** The controls, in the order of their lists. */
export const controls: readonly Control[] = [
  {
    ...{ id: "soc2-cc6.1", framework: soc2, control: "CC6.1", title: "Logical access is protected" },
    shows: "How people sign in was configured, and tokens and signing keys were issued, rotated and revoked.",
    doesNotShow: "Access to databases, hosts and networks below the service.",
    actions: [...signIn, "signing_key.*"],
  },
  {
    ...{
      id: "soc2-cc6.2",
      framework: soc2,
      control: "CC6.2",
      title: "Users are registered before access, and removed",
    },
    shows: "Who was invited, admitted, provisioned by a directory, and removed, and by whom.",
    doesNotShow: "Whether somebody should have been removed earlier.",
    actions: access,
  },
  {
    ...{ id: "soc2-cc6.3", framework: soc2, control: "CC6.3", title: "Access follows roles" },
    shows: "Each change of a role, with the role before and after.",
    doesNotShow: "Whether a role fits somebody's duties.",
    actions: ["team.update_role", "team.transfer_ownership", "scim.set_group_mapping", "token.*"],
  },
  {
    ...{ id: "soc2-cc7.2", framework: soc2, control: "CC7.2", title: "Systems are monitored for anomalies" },
    shows: "Which alerts and notifications existed when, and when they were changed or silenced.",
    doesNotShow: "Whether somebody read an alert and acted on it.",
    actions: watching,
  },
  {
    ...{ id: "soc2-cc8.1", framework: soc2, control: "CC8.1", title: "Changes are authorized, tested and approved" },
    shows:
      "Each change of a guard before and after, who approved a version, which gates it passed, when it was enforced.",
    doesNotShow: changeLimits,
    actions: guardChanges,
  },
  {
    ...{ id: "soc2-c1.2", framework: soc2, control: "C1.2", title: "Confidential information is disposed of" },
    shows: "Retention as it was set, and erasures with what they reached.",
    doesNotShow: "Copies outside the service, and backups until their own retention ends.",
    actions: forgetting,
  },
  {
    ...{ id: "iso27001-a.5.16", framework: iso, control: "A.5.16", title: "Identity management" },
    shows: "Identities that were made, provisioned, changed and removed.",
    doesNotShow: "Identities of other systems.",
    actions: [...access, "sso.*", "account.*"],
  },
  {
    ...{ id: "iso27001-a.5.17", framework: iso, control: "A.5.17", title: "Authentication information" },
    shows:
      "Changes of passwords and second factors, and tokens that were issued, rotated and revoked; never the secrets.",
    doesNotShow: "How people keep their secrets.",
    actions: ["account.*", "token.*", "team.disable_mfa"],
  },
  {
    ...{ id: "iso27001-a.5.18", framework: iso, control: "A.5.18", title: "Access rights" },
    shows: "Rights that were granted, changed and withdrawn.",
    doesNotShow: "That rights were reviewed regularly.",
    actions: [...access, "token.*"],
  },
  {
    ...{ id: "iso27001-a.5.28", framework: iso, control: "A.5.28", title: "Collection of evidence" },
    shows: "What was exported from the log, traces and datasets, by whom and in which form.",
    doesNotShow: "What happened to an export afterwards.",
    actions: ["evidence.*", "trace.export", "dataset.export"],
  },
  {
    ...{ id: "iso27001-a.8.10", framework: iso, control: "A.8.10", title: "Information deletion" },
    shows: "Retention as it was set, and erasures with what they reached.",
    doesNotShow: "Copies outside the service, and backups until their own retention ends.",
    actions: forgetting,
  },
  {
    ...{ id: "iso27001-a.8.15", framework: iso, control: "A.8.15", title: "Logging" },
    shows: "How long records are kept, and who exported them. That the log is whole is shown by its proofs.",
    doesNotShow: "Logs of hosts and applications.",
    actions: records,
  },
  {
    ...{ id: "iso27001-a.8.16", framework: iso, control: "A.8.16", title: "Monitoring activities" },
    shows: "Which alerts and notifications existed when, and when they were changed or silenced.",
    doesNotShow: "Whether somebody read an alert and acted on it.",
    actions: watching,
  },
  {
    ...{ id: "iso27001-a.8.24", framework: iso, control: "A.8.24", title: "Use of cryptography" },
    shows: "Rotations and revocations of the keys that sign bundles.",
    doesNotShow: "Keys of transport and of storage.",
    actions: ["signing_key.*"],
  },
  {
    ...{ id: "iso27001-a.8.32", framework: iso, control: "A.8.32", title: "Change management" },
    shows:
      "Each change of a guard before and after, who approved a version, which gates it passed, when it was enforced.",
    doesNotShow: changeLimits,
    actions: guardChanges,
  },
  {
    ...{ id: "eu-ai-act-9", framework: euAct, control: "Article 9", title: "Risk management system" },
    shows: "Measures against risks of prompts and answers: policies, their tests as gates, their versions over time.",
    doesNotShow: "The analysis of risks itself.",
    actions: [...guardChanges, "benchmark.*"],
  },
  {
    ...{ id: "eu-ai-act-10", framework: euAct, control: "Article 10", title: "Data and data governance" },
    shows: "Where the data that guards are measured on came from, and who marked it.",
    doesNotShow: "Data that the guarded models were trained on.",
    actions: ["dataset.*", "annotation.*", "annotation_settings.*"],
  },
  {
    ...{ id: "eu-ai-act-12", framework: euAct, control: "Article 12", title: "Record-keeping" },
    shows: "How long records were kept, what was erased and exported. That the log is whole is shown by its proofs.",
    doesNotShow: "The records of single evaluations, which are traces.",
    actions: [...records, "erasure.*"],
  },
  {
    ...{ id: "eu-ai-act-14", framework: euAct, control: "Article 14", title: "Human oversight" },
    shows: "People who approved versions or withdrew it, marked decisions as right or wrong, and overrode gates.",
    doesNotShow: "Oversight within the guarded application.",
    actions: ["bundle.approve", "bundle.withdraw_approval", "annotation.*", "gate.*", "environment.*"],
  },
  {
    ...{ id: "eu-ai-act-15", framework: euAct, control: "Article 15", title: "Accuracy, robustness and cybersecurity" },
    shows: "Measurements of guards that were run, on which data, and the baselines that were approved.",
    doesNotShow: "The accuracy of the guarded models. The measurements themselves are benchmarks.",
    actions: [...measuring, "gates.*", "gate.*"],
  },
  {
    ...{ id: "eu-ai-act-26", framework: euAct, control: "Article 26", title: "Monitoring by deployers" },
    shows: "Which alerts existed when, and what was changed about agents and runtimes.",
    doesNotShow: "Whether somebody read an alert and acted on it.",
    actions: watching,
  },
  {
    ...{ id: "nist-ai-rmf-govern-2.1", framework: nist, control: "GOVERN 2.1", title: "Roles and responsibilities" },
    shows: "Who had which role when.",
    doesNotShow: "Responsibilities that are agreed upon elsewhere.",
    actions: access,
  },
  {
    ...{ id: "nist-ai-rmf-measure-2.3", framework: nist, control: "MEASURE 2.3", title: "Performance is measured" },
    shows: "Measurements of guards that were run, and on which data.",
    doesNotShow: "The performance of the guarded models. The measurements themselves are benchmarks.",
    actions: measuring,
  },
  {
    ...{ id: "nist-ai-rmf-measure-2.4", framework: nist, control: "MEASURE 2.4", title: "Behaviour is monitored" },
    shows: "Which alerts existed when, and who marked decisions as right or wrong.",
    doesNotShow: "The behaviour itself, which is in traces and analytics.",
    actions: [...watching, "annotation.*"],
  },
  {
    ...{ id: "nist-ai-rmf-manage-2.4", framework: nist, control: "MANAGE 2.4", title: "Systems can be superseded" },
    shows: "Versions that were put into force, replaced and rolled back, and when.",
    doesNotShow: "How the guarded application itself is switched off.",
    actions: ["bundle.*", "environment.*"],
  },
  {
    ...{ id: "nist-ai-rmf-manage-4.1", framework: nist, control: "MANAGE 4.1", title: "Monitoring after deployment" },
    shows: "Alerts, annotations and measurements that were set up after a version was in force.",
    doesNotShow: "Whether somebody read an alert and acted on it.",
    actions: [...watching, ...measuring, "annotation.*", "annotation_settings.*"],
  },
  {
    ...{ id: "owasp-llm01", framework: owasp, control: "LLM01", title: "Prompt injection", label: "OWASP-LLM01" },
    shows: "Rules against instructions in prompts, documents and answers of tools, as they were in force and tested.",
    doesNotShow: "Attacks that no rule finds; measurements say how many that may be.",
    actions: guardChanges,
    detectors: ["injection", "unicode", "encoding"],
  },
  {
    ...{ id: "owasp-llm02", framework: owasp, control: "LLM02", label: "OWASP-LLM02" },
    title: "Sensitive information disclosure",
    shows: "Rules about personal data and secrets, and how long what was captured is kept.",
    doesNotShow: "Data that the guarded models were trained on, and answers that no rule judged.",
    actions: [...guardChanges, ...forgetting],
    detectors: ["pii", "secrets"],
  },
  {
    ...{ id: "owasp-llm03", framework: owasp, control: "LLM03", title: "Supply chain", label: "OWASP-LLM03" },
    shows: "Which packs, languages, detector backends and signing keys the guards are made of, and their changes.",
    doesNotShow: "Models and libraries of the guarded application.",
    actions: ["pack.*", "language.*", "detector_backend.*", "signing_key.*", "bundle.*"],
  },
  {
    ...{ id: "owasp-llm04", framework: owasp, control: "LLM04", label: "OWASP-LLM04" },
    title: "Data and model poisoning",
    shows: "Where the data that guards are measured on came from, who marked it, and what was measured.",
    doesNotShow: "Data that the guarded models were trained on.",
    actions: ["dataset.*", "annotation.*", "annotation_settings.*", "benchmark.*"],
  },
  {
    ...{ id: "owasp-llm05", framework: owasp, control: "LLM05", label: "OWASP-LLM05" },
    title: "Improper output handling",
    shows: "Rules about code and links in answers, and the forms that answers have to have.",
    doesNotShow: "How the application escapes and runs what a model answers.",
    actions: guardChanges,
    detectors: ["code", "url"],
  },
  {
    ...{ id: "owasp-llm06", framework: owasp, control: "LLM06", title: "Excessive agency", label: "OWASP-LLM06" },
    shows: "Rules about calls of tools, in policies that name this control, and changes of agents.",
    doesNotShow: "What tools are allowed to do once they are called.",
    actions: [...guardChanges, "agent.*"],
  },
  {
    ...{ id: "owasp-llm07", framework: owasp, control: "LLM07", title: "System prompt leakage", label: "OWASP-LLM07" },
    shows: "Rules that find a system prompt, or a mark in it, in answers.",
    doesNotShow: "Secrets that a system prompt should not have had.",
    actions: guardChanges,
    detectors: ["canary"],
  },
  {
    ...{ id: "owasp-llm08", framework: owasp, control: "LLM08", label: "OWASP-LLM08" },
    title: "Vector and embedding weaknesses",
    shows: "Rules about retrieved documents, in policies that name this control.",
    doesNotShow: "Who may read and write the application's vector stores.",
    actions: guardChanges,
  },
  {
    ...{ id: "owasp-llm09", framework: owasp, control: "LLM09", title: "Misinformation", label: "OWASP-LLM09" },
    shows: "Rules about what may be said, in policies that name this control, and people's marks of decisions.",
    doesNotShow: "Whether answers are true.",
    actions: [...guardChanges, "annotation.*"],
  },
  {
    ...{ id: "owasp-llm10", framework: owasp, control: "LLM10", title: "Unbounded consumption", label: "OWASP-LLM10" },
    shows: "Rules about length and repetition, and limits of evaluations as they were set.",
    doesNotShow: "Limits of the guarded models themselves.",
    actions: [...guardChanges, "organization.set_limit", "organization.set_plan"],
    detectors: ["length", "repetition", "gibberish"],
  },
];

/** The control of this name. */
export function controlOf(id: string): Control | undefined {
  return controls.find((control) => control.id === id);
}

/** Whether an entry of this action speaks to the control. */
export function speaksTo({ actions }: Control, action: string): boolean {
  return actions.includes(action) || actions.includes(`${action.split(".", 1)[0]}.*`);
}
