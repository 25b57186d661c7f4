// The editor with what the server says about its text, and the playground that judges by it.

import { useRef, useState } from "react";
import { PolicyService, type ValidatePolicyResponse } from "../../../gen/policyguard/control/v1/policy_service_pb.ts";
import { useOrganization } from "../../data/organization.ts";
import { stageName } from "../../data/stage.ts";
import { CodeEditor, type EditorHandle, type EditorKeys } from "../../editor/code-editor.tsx";
import { type EditorProblem, fixesOf } from "../../editor/problem.ts";
import { Button } from "../../part/button.tsx";
import { Failed } from "../../part/state.tsx";
import { Tabs } from "../../part/tabs.tsx";
import { en } from "../../text/en.ts";
import { type Check, useCheck } from "./check.ts";
import { useLanguage } from "./language.ts";
import { Playground, type StoredPolicy } from "./playground/playground.tsx";
import { type Asked, askedOf, askedOfTest } from "./playground/request.ts";
import style from "./policy.module.css";
import { Robustness } from "./robustness.tsx";

const texts = en.policy;

/** A text under work. `onCheck` gets what the server says of it. */
export function Workbench({
  orgId,
  text,
  initialText,
  policy,
  isReadOnly,
  keys,
  onChange,
  handle,
}: {
  readonly orgId: string;
  readonly text: string;
  readonly initialText: string;
  /** The policy as it is stored; absent while it is new. */
  readonly policy?: StoredPolicy;
  readonly isReadOnly: boolean;
  readonly keys: EditorKeys;
  readonly onChange: (text: string) => void;
  readonly handle: (handle: EditorHandle | undefined) => void;
}) {
  const check = useCheck(orgId, text);
  const language = useLanguage(text);
  const [editor, setEditor] = useState<EditorHandle>();
  const [asked, setAsked] = useState<Asked>(() => askedOf(""));
  const [tab, setTab] = useState("problems");
  const judge = useRef<() => void>(undefined);
  const runTests = () => {
    setTab("tests");
    check.again();
  };
  const { can } = useOrganization();
  return (
    <div className={style.workbench}>
      <section className={style.left} aria-label={texts.editor}>
        <div className={style.editor}>
          <CodeEditor
            label={texts.editor}
            initialText={initialText}
            problems={check.problems}
            keys={{ ...keys, judge: () => judge.current?.(), runTests }}
            language={language ?? "loading"}
            isReadOnly={isReadOnly}
            onChange={onChange}
            handle={(made) => {
              setEditor(made);
              handle(made);
            }}
          />
        </div>
        <Findings
          orgId={orgId}
          text={text}
          check={check}
          tab={tab}
          onTab={setTab}
          onFix={isReadOnly ? undefined : (problem) => editor?.fix(problem)}
          onGo={(line, column) => editor?.goTo(line, column)}
          onOpen={setAsked}
        />
      </section>
      {can(PolicyService.method.explainPolicies) && (
        <Playground
          document={text}
          policy={policy}
          asked={asked}
          onAsk={setAsked}
          judgeNow={judge}
          onWrite={isReadOnly ? undefined : (written) => editor?.setText(written)}
        />
      )}
    </div>
  );
}

function Findings({
  orgId,
  text,
  check,
  tab,
  onTab,
  onFix,
  onGo,
  onOpen,
}: {
  readonly orgId: string;
  readonly text: string;
  readonly check: Check;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
  readonly onFix: ((problem: EditorProblem) => void) | undefined;
  readonly onGo: (line: number, column: number) => void;
  readonly onOpen: (asked: Asked) => void;
}) {
  const { can } = useOrganization();
  const { tests } = check;
  const passed = tests.filter((test) => test.passed).length;
  const untilVerdict = check.answer?.untilVerdict ?? [];
  return (
    <Tabs
      label={texts.editor}
      chosen={tab}
      onChoose={onTab}
      aside={<CheckState check={check} />}
      tabs={[
        {
          id: "problems",
          title: texts.problems(check.problems.length),
          panel: <Problems check={check} text={text} onFix={onFix} onGo={onGo} />,
        },
        {
          id: "tests",
          title: texts.tests(passed, tests.length, check.state === "valid"),
          panel: <Tests check={check} onOpen={onOpen} />,
        },
        {
          id: "verdict",
          title: texts.untilVerdict(untilVerdict.length),
          panel: <UntilVerdict rules={untilVerdict} />,
        },
        ...(can(PolicyService.method.testPolicies)
          ? [{ id: "robustness", title: texts.robustness, panel: <Robustness orgId={orgId} text={text} /> }]
          : []),
      ]}
    />
  );
}

/** The rules that make streams wait: they cost a streamed answer its flow. */
function UntilVerdict({ rules }: { readonly rules: ValidatePolicyResponse["untilVerdict"] }) {
  if (rules.length === 0) return <p className={style.dim}>{texts.noUntilVerdict}</p>;
  return (
    <>
      <p className={style.dim}>{texts.untilVerdictText}</p>
      <ul className={style.problems}>
        {rules.map(({ ruleId, stages, message }) => (
          <li key={ruleId} className={style.test}>
            <code>{ruleId}</code>
            <span>
              {message}
              <span className={style.failure}>{stages.map(stageName).join(", ")}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function CheckState({ check: { state, problems, tests } }: { readonly check: Check }) {
  const errors = problems.filter(({ isWarning }) => !isWarning).length;
  const failed = tests.filter(({ passed }) => !passed).length;
  const words = {
    checking: texts.checking,
    testing: texts.testing,
    valid: texts.valid,
    invalid: errors === 0 ? texts.testsFail(failed) : texts.invalid(errors),
    unknown: texts.unknown,
  };
  return (
    <span role="status" className={`${style.state} ${style[state]}`}>
      {words[state]}
    </span>
  );
}

function Problems({
  check,
  text: document,
  onFix,
  onGo,
}: {
  readonly check: Check;
  readonly text: string;
  readonly onFix: ((problem: EditorProblem) => void) | undefined;
  readonly onGo: (line: number, column: number) => void;
}) {
  // It asks again by itself.
  if (check.error !== undefined) return <Failed error={check.error} />;
  const fixes = onFix === undefined ? undefined : fixesOf(document, check.problems);
  if (check.problems.length === 0)
    return <p className={style.dim}>{check.answer === undefined ? texts.checking : texts.noProblems}</p>;
  return (
    <ul className={style.problems}>
      {check.problems.map((problem) => {
        const { line, column, text, isWarning } = problem;
        const fix = fixes?.get(problem);
        return (
          <li key={`${line}:${column}:${text}`} className={style.problem}>
            <button type="button" onClick={() => onGo(line, column)} title={texts.line(line, column)}>
              <span aria-hidden="true" className={isWarning ? style.warning : style.error}>
                {isWarning ? "▲" : "✕"}
              </span>
              <span className={style.place}>{`${line}:${column}`}</span>
              {text}
            </button>
            {fix !== undefined && (
              <Button kind="quiet" onClick={() => onFix?.(problem)}>
                {en.edit.replaceWith(fix)}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

function Tests({ check, onOpen }: { readonly check: Check; readonly onOpen: (asked: Asked) => void }) {
  const { tests, state } = check;
  if (tests.length === 0) {
    const told = { valid: texts.noTests, invalid: texts.notTested, unknown: texts.notTested };
    return <p className={style.dim}>{state === "testing" || state === "checking" ? texts.testing : told[state]}</p>;
  }
  return (
    <ul className={style.problems}>
      {tests.map(({ name, passed, failures }) => {
        const asked = askedOfTest(check.answer?.document, name);
        return (
          <li key={name} className={style.test}>
            <span className={passed ? style.good : style.error}>{passed ? texts.passed : texts.failed}</span>
            <span className={style.grow}>
              {name}
              {failures.map((failure) => (
                <span key={failure} className={style.failure}>
                  {failure}
                </span>
              ))}
            </span>
            {asked !== undefined && (
              <Button kind="quiet" aria-label={texts.openTestOf(name)} onClick={() => onOpen(asked)}>
                {texts.openTest}
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
