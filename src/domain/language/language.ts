// Language packs: the public list, and which of them an organization has enabled, with keywords of its own. All of it
// takes effect in the next bundle, and never in one that is active.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { Reason } from "../../../gen/policyguard/common/v1/reason_pb.ts";
import { categoriesOf, type LanguagePack } from "../../../runtime/engine/authoring/language-pack/language-pack.ts";
import { overlayPath } from "../../../runtime/engine/languages/overlay.ts";
import { partEntry } from "../../kit/bundle/statement-payload.ts";
import { canonicalBytes } from "../../kit/crypto/canonical.ts";
import { Fault, notFound, validationFailed } from "../../kit/fault/fault.ts";
import type { Clock } from "../../kit/process/clock.ts";
import type { Caller } from "../../kit/rpc/context.ts";
import { entriesOf, type Page } from "../../kit/rpc/page.ts";
import type { Database } from "../../store/connection/database.ts";
import type { Transaction } from "../../store/core/transaction.ts";
import { type ActiveEnvironment, activeEnvironments } from "../../store/language/active-overlay.ts";
import { CustomKeywordsRow, customKeywordCounts, findCustomKeywords } from "../../store/language/custom-keywords.ts";
import {
  countLanguageInstalls,
  deleteEnabledLanguage,
  EnabledLanguageRow,
  enabledLanguages,
  lockEnabledLanguage,
  lockLanguages,
} from "../../store/language/enabled-language.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { keywordLimits } from "../analysis/check-keywords.ts";
import { InstallCounts } from "../policy/install-count.ts";
import { isUnchanged } from "../unchanged.ts";
import { overlayDocument, overlayParts } from "./overlay-part.ts";
import type { Republished, Republisher } from "./republish.ts";
import type { LanguageLibrary } from "./shipped.ts";

/** A pack with the number of organizations that have enabled it. */
export interface PackEntry {
  readonly pack: LanguagePack;
  readonly installCount: number;
}

/** Which packs to list; absent or empty fields match all. */
export interface PackFilter {
  readonly search?: string;
  readonly category?: string;
  readonly script?: string;
}

/** The input for enabling a pack. */
export interface EnableInput {
  readonly language: string;
  readonly version?: string | undefined;
  /** Empty for all. */
  readonly categories: readonly string[];
  readonly republish: boolean;
}

/** An enabled pack with the environments that have an active bundle. */
export interface EnabledView {
  readonly row: EnabledLanguageRow;
  readonly pack: LanguagePack;
  readonly categories: readonly string[];
  readonly customKeywordCount: number;
  readonly environments: readonly EnvironmentUse[];
}

/** Whether an environment enforces a pack. */
export interface EnvironmentUse extends Pick<ActiveEnvironment, "projectId" | "environment"> {
  readonly inActiveBundle: boolean;
  readonly updateAvailable: boolean;
}

/** The keywords of a language; without a row nobody has saved any. */
export interface CustomView {
  readonly language: string;
  readonly row: CustomKeywordsRow | null;
}

/** The input for keywords. */
export interface CustomInput {
  readonly keywords: readonly JsonValue[];
  readonly allow: readonly string[];
  readonly expectedRevision?: number | undefined;
}

/** What language packs are kept with. */
export interface LanguageServices {
  readonly database: Database;
  readonly clock: Clock;
  readonly republisher: Republisher;
  readonly analysis: Analysis;
}

/** Lists language packs, enables them, and keeps keywords. */
export class Languages {
  readonly #library: LanguageLibrary;
  readonly #database: Database;
  readonly #republisher: Republisher;
  readonly #analysis: Analysis;
  readonly #counts: InstallCounts;

  constructor(library: LanguageLibrary, { database, clock, republisher, analysis }: LanguageServices) {
    this.#library = library;
    this.#analysis = analysis;
    this.#database = database;
    this.#republisher = republisher;
    this.#counts = new InstallCounts(() => countLanguageInstalls(database), clock);
  }

  /** A page of the packs that match, in the order of their tags, and their count. */
  async list(filter: PackFilter, page: Page): Promise<[PackEntry[], number]> {
    const found = this.#library.packs.filter((pack) => matches(pack, filter));
    const counts = await this.#counts.get();
    const entries = found.map((pack) => ({ pack, installCount: counts.get(pack.overlay.language) ?? 0 }));
    return [entriesOf(entries, page), found.length];
  }

  /** The pack of a language. */
  async get(language: string): Promise<PackEntry> {
    const pack = this.#library.require(language);
    return { pack, installCount: (await this.#counts.get()).get(pack.overlay.language) ?? 0 };
  }

  /** The overlay of a pack, and its strong entity tag. */
  overlay(language: string): { readonly document: JsonObject; readonly etag: string } {
    const document = overlayDocument(this.#library.require(language));
    const { digest } = partEntry("", canonicalBytes(document));
    return { document, etag: `"${digest.replace(":", "-")}"` };
  }

  /** Enables a pack, or changes which of its categories are enabled. */
  async enable(
    caller: Caller,
    { language: given, version, categories: wanted, republish }: EnableInput,
    signal?: AbortSignal,
  ): Promise<{ readonly view: EnabledView; readonly changes: Republished }> {
    const pack = this.#library.require(given);
    const { language } = pack.overlay;
    if (version !== undefined && version !== "" && version !== pack.overlay.version)
      throw notFound(`version of this language pack; it has ${pack.overlay.version}`);
    const categories = requireCategories(pack, wanted);
    const view = await this.#database.transaction(caller, async (tx) => {
      const known = await lockEnabledLanguage(tx, language);
      const before = known === null ? null : auditView(known);
      const row =
        known ??
        tx.em.create(EnabledLanguageRow, {
          ...{ orgId: tx.orgId, language, categories: null },
          ...{ enabledAt: tx.now, enabledBy: caller.credential.label },
        });
      row.categories = categories;
      await tx.em.flush();
      tx.changed({ resource: `language/${language}`, before, after: auditView(row) });
      const [found] = await this.#views(tx, caller, [row]);
      if (found === undefined) throw new Error("a row has a view");
      return found;
    });
    const pending = view.environments.filter(({ inActiveBundle }) => !inActiveBundle);
    return { view, changes: await this.#republisher.run(caller, pending, { republish, signal }) };
  }

  /** Disables a pack. Keywords of the organization's own are kept. */
  async disable(
    caller: Caller,
    { language: given, republish }: { readonly language: string; readonly republish: boolean },
    signal?: AbortSignal,
  ): Promise<{ readonly language: string; readonly changes: Republished }> {
    const { language } = this.#library.require(given).overlay;
    const carriers = await this.#database.transaction(caller, async (tx) => {
      const row = await lockEnabledLanguage(tx, language);
      if (row === null) throw new Fault(Reason.CONFLICT, `${language} is not enabled`);
      tx.changed({ resource: `language/${language}`, before: auditView(row), after: null });
      await deleteEnabledLanguage(tx, language);
      const environments = await activeEnvironments(tx, projectOf(caller));
      return environments.filter(({ overlays }) => overlayPath(language) in overlays);
    });
    return { language, changes: await this.#republisher.run(caller, carriers, { republish, signal }) };
  }

  /** A page of the enabled packs, in the order of their tags, and their count. */
  enabled(caller: Caller, page: Page): Promise<[EnabledView[], number]> {
    return this.#database.read(caller.orgId, async (tx) => {
      const rows = await enabledLanguages(tx);
      return [await this.#views(tx, caller, entriesOf(rows, page)), rows.length];
    });
  }

  /** The organization's own keywords in a language. */
  custom(caller: Caller, given: string): Promise<CustomView> {
    const { language } = this.#library.require(given).overlay;
    return this.#database.read(caller.orgId, async (tx) => ({ language, row: await findCustomKeywords(tx, language) }));
  }

  /** Replaces the organization's own keywords in a language. */
  async saveCustom(caller: Caller, given: string, input: CustomInput, signal?: AbortSignal): Promise<CustomView> {
    const { overlay, name, common } = this.#library.require(given);
    const { language } = overlay;
    const { keywords, allow } = await this.#analysis.run(
      "checkKeywords",
      { keywords: input.keywords, allow: input.allow, language, name, common },
      { orgId: caller.orgId, signal },
    );
    return this.#database.transaction(caller, async (tx) => {
      await lockLanguages(tx);
      const known = await findCustomKeywords(tx, language);
      assertRevision(known?.revision ?? 0, input.expectedRevision);
      await assertRoom(tx, language, keywords.length);
      const before = known === null ? null : customView(known);
      const said = { keywords, allow, keywordCount: keywords.length };
      const next = {
        ...{ ...said, revision: (known?.revision ?? 0) + 1 },
        ...{ updatedAt: tx.now, updatedBy: caller.credential.label },
      };
      const row = known ?? tx.em.create(CustomKeywordsRow, { orgId: tx.orgId, language, ...next });
      if (!isUnchanged(row, said)) Object.assign(row, next);
      await tx.em.flush();
      tx.changed({ resource: `language/${language}`, before, after: customView(row) });
      return { language, row };
    });
  }

  async #views(tx: Transaction, caller: Caller, rows: readonly EnabledLanguageRow[]): Promise<EnabledView[]> {
    const environments = await activeEnvironments(tx, projectOf(caller));
    const counts = await customKeywordCounts(tx);
    const digests = new Map(
      (await overlayParts(tx, this.#library)).map(({ path, data }) => [path, partEntry(path, data).digest]),
    );
    return rows.flatMap((row) => {
      const pack = this.#library.find(row.language);
      if (pack === undefined) return [];
      const path = overlayPath(row.language);
      return [
        {
          ...{ row, pack, categories: row.categories ?? categoriesOf(pack.overlay) },
          customKeywordCount: counts.get(row.language) ?? 0,
          environments: environments.map(({ projectId, environment, overlays }) => ({
            ...{ projectId, environment },
            inActiveBundle: overlays[path] !== undefined && overlays[path] === digests.get(path),
            updateAvailable: overlays[path] !== undefined && overlays[path] !== digests.get(path),
          })),
        },
      ];
    });
  }
}

/** The project of a ci token, which sees only that one. */
function projectOf({ credential }: Caller): string | undefined {
  return credential.projectId;
}

/** The categories to enable, sorted; null for all. */
function requireCategories({ overlay }: LanguagePack, wanted: readonly string[]): readonly string[] | null {
  if (wanted.length === 0) return null;
  const available = categoriesOf(overlay);
  const problems = wanted.flatMap((name, index) =>
    available.includes(name)
      ? []
      : [{ field: `categories[${index}]`, message: `the pack has no such category; it has ${available.join(", ")}` }],
  );
  if (problems.length > 0) throw validationFailed(problems);
  return wanted.toSorted();
}

function matches({ overlay, name, nativeName, description }: LanguagePack, filter: PackFilter): boolean {
  const { search = "", category = "", script = "" } = filter;
  const text = [overlay.language, name, nativeName, description].join("\n").toLowerCase();
  return (
    search
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word)) &&
    (category === "" || categoriesOf(overlay).includes(category)) &&
    (script === "" || overlay.scripts.some((each) => each.toLowerCase() === script.toLowerCase()))
  );
}

function assertRevision(current: number, expected: number | undefined): void {
  if (expected === undefined || expected === current) return;
  throw new Fault(
    Reason.VERSION_CONFLICT,
    `the keywords are at revision ${current}, not ${expected}; read them again and repeat your change`,
    { extra: { current_version: current } },
  );
}

/** The organization has to be locked. */
async function assertRoom(tx: Transaction, language: string, count: number): Promise<void> {
  const others = [...(await customKeywordCounts(tx))].reduce(
    (sum, [tag, own]) => sum + (tag === language ? 0 : own),
    0,
  );
  const { organization: limit } = keywordLimits;
  if (others + count <= limit) return;
  throw new Fault(
    Reason.LIMIT_REACHED,
    `an organization has at most ${limit.toLocaleString("en")} keywords in all languages; the others have ${others.toLocaleString("en")}`,
    { extra: { limit } },
  );
}

function auditView({ language, categories }: EnabledLanguageRow): JsonObject {
  return { language, categories: categories == null ? null : [...categories] };
}

function customView({ language, revision, keywords, allow }: CustomKeywordsRow): JsonObject {
  // Keywords are JSON; their interface only names the keys.
  return { language, revision, keywords: keywords as unknown as JsonValue, allow: [...allow] };
}
