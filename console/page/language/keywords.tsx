import { useQuery } from "@connectrpc/connect-query";
import { useState } from "react";
import type { CustomKeyword, CustomKeywords } from "../../../gen/policyguard/control/v1/language_pb.ts";
import { LanguageService } from "../../../gen/policyguard/control/v1/language_service_pb.ts";
import { failureOf } from "../../data/failure.ts";
import { invalidate } from "../../data/invalidation.ts";
import { useOrganization } from "../../data/organization.ts";
import { perform } from "../../data/perform.ts";
import { Ago } from "../../part/ago.tsx";
import { useBusy } from "../../part/busy.ts";
import { Button } from "../../part/button.tsx";
import { LineConflict } from "../../part/edit/line-conflict.tsx";
import { TextArea } from "../../part/field.tsx";
import { useUnsavedWhile } from "../../part/form/unsaved.ts";
import { linesOf } from "../../part/form.ts";
import layout from "../../part/layout/layout.module.css";
import { Panel } from "../../part/panel.tsx";
import { Answered, Failed } from "../../part/state.tsx";
import { Table } from "../../part/table.tsx";
import { en } from "../../text/en.ts";
import { decimal } from "../../text/format.ts";
import { type Edited, keyOf, keywordValues, rebased } from "./keyword.ts";
import { categoryTitle } from "./names.ts";

const texts = en.languages;
const { method } = LanguageService;

/** The organization's own keywords in a language. */
export function Keywords({ orgId, language }: { readonly orgId: string; readonly language: string }) {
  const query = useQuery(method.getCustomKeywords, { orgId, language });
  const custom = query.data?.custom;
  return (
    <Panel title={texts.keywords} text={texts.keywordsText}>
      {/* What was typed outlives a newer answer: the editor begins anew only when its own save has come back. */}
      <Answered query={query} rows={3}>
        {() => custom && <Editor key={language} stored={custom} orgId={orgId} />}
      </Answered>
    </Panel>
  );
}

function Editor({ stored, orgId }: { readonly stored: CustomKeywords; readonly orgId: string }) {
  const { can } = useOrganization();
  const mayEdit = can(method.saveCustomKeywords);
  /** What the edit began from; it stays while somebody else saves. */
  const [base, setBase] = useState(stored);
  const [edited, setEdited] = useState<Edited>();
  const [isSaved, setSaved] = useState(false);
  const { run, isBusy, error } = useBusy();
  const now = edited ?? { keywords: stored.keywords, allow: stored.allow.join("\n"), added: "" };
  const change = (part: Partial<Edited>) => {
    if (edited === undefined) setBase(stored);
    setSaved(false);
    setEdited({ ...now, ...part });
  };
  useUnsavedWhile(edited !== undefined);
  // Shown once both can be chosen from: until everything is read again, a press would be lost.
  const hasConflict = edited !== undefined && stored.revision !== base.revision && !isBusy;
  const save = (expectedRevision: number) =>
    run(async () => {
      const place = { orgId, language: stored.language };
      try {
        await perform(method.saveCustomKeywords, {
          ...place,
          keywords: keywordValues(now.keywords, linesOf(now.added)),
          allow: linesOf(now.allow),
          expectedRevision,
        });
        setEdited(undefined);
        setSaved(true);
      } catch (failure) {
        if (failureOf(failure).kind !== "version_conflict") throw failure;
        await invalidate(method.saveCustomKeywords);
      }
    });
  return (
    <>
      <p className={layout.small}>
        {texts.revision(stored.revision)} {stored.updatedBy !== undefined && texts.by(stored.updatedBy)}{" "}
        {stored.updatedAt !== undefined && <Ago time={stored.updatedAt} />}
      </p>
      {now.keywords.length === 0 && <p className={layout.dim}>{texts.noKeywords}</p>}
      {now.keywords.length > 0 && (
        <KeywordTable
          keywords={now.keywords}
          onRemove={
            mayEdit ? (removed) => change({ keywords: now.keywords.filter((each) => each !== removed) }) : undefined
          }
        />
      )}
      {mayEdit && (
        <>
          <TextArea
            label={texts.addTitle}
            hint={texts.addHint}
            value={now.added}
            readOnly={isBusy}
            onChange={({ target }) => change({ added: target.value })}
          />
          <TextArea
            label={texts.allow}
            hint={texts.allowHint}
            value={now.allow}
            readOnly={isBusy}
            onChange={({ target }) => change({ allow: target.value })}
          />
        </>
      )}
      {!mayEdit && stored.allow.length > 0 && (
        <p>
          {texts.allow}: {stored.allow.join(", ")}
        </p>
      )}
      {error !== undefined && <Failed error={error} />}
      {isSaved && <p role="status">{texts.saved}</p>}
      {hasConflict && (
        <Conflict
          {...{ stored, base, now }}
          onChange={(next) => {
            setEdited(next);
            setBase(stored);
          }}
          onKeep={() => save(stored.revision)}
        />
      )}
      {edited !== undefined && !hasConflict && (
        <div className={layout.row}>
          <Button kind="primary" disabled={isBusy} onClick={() => save(base.revision)}>
            {texts.save}
          </Button>
          <Button disabled={isBusy} onClick={() => setEdited(undefined)}>
            {texts.discard}
          </Button>
          <span className={layout.dim}>{texts.unsaved}</span>
        </div>
      )}
    </>
  );
}

/** Theirs beside mine; what becomes of mine then begins from theirs. */
function Conflict({
  stored,
  base,
  now,
  onChange,
  onKeep,
}: {
  readonly stored: CustomKeywords;
  readonly base: CustomKeywords;
  readonly now: Edited;
  readonly onChange: (next: Edited | undefined) => void;
  readonly onKeep: () => void;
}) {
  return (
    <LineConflict
      text={texts.conflictText(stored.revision, base.revision)}
      theirs={[...termsOf(stored.keywords), ...stored.allow.map(texts.harmless)]}
      mine={[...termsOf(now.keywords), ...linesOf(now.added), ...linesOf(now.allow).map(texts.harmless)]}
      onTake={() => onChange(undefined)}
      onMerge={() => onChange(rebased(now, base, stored))}
      onKeep={onKeep}
    />
  );
}

function KeywordTable({
  keywords,
  onRemove,
}: {
  readonly keywords: readonly CustomKeyword[];
  readonly onRemove: ((keyword: CustomKeyword) => void) | undefined;
}) {
  return (
    <Table
      label={texts.keywords}
      rows={keywords}
      keyOf={keyOf}
      columns={[
        { title: texts.term, cell: ({ term }) => term },
        { title: texts.category, phone: "below", cell: ({ category }) => categoryTitle(category) },
        { title: texts.match, phone: "below", cell: ({ match }) => texts.matches[match] ?? match },
        { title: texts.score, isNumber: true, phone: "end", cell: ({ score }) => decimal(score) },
        { title: texts.unless, phone: "named", cell: ({ unless }) => unless.join(", ") },
        ...(onRemove === undefined
          ? []
          : [
              {
                title: "",
                isNumber: true,
                phone: "deeds" as const,
                cell: (keyword: CustomKeyword) => (
                  <Button kind="quiet" aria-label={texts.remove(keyword.term)} onClick={() => onRemove(keyword)}>
                    {texts.removeShort}
                  </Button>
                ),
              },
            ]),
      ]}
    />
  );
}

function termsOf(keywords: readonly CustomKeyword[]): string[] {
  return keywords.map(({ term }) => term);
}
