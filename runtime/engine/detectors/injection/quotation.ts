// Decides whether a match is only mentioned: within quotation marks inside a longer sentence, or near words about
// attacks. Only a bounded neighbourhood is read, so that distant text does not change the result.

/** How many code units on each side of a match are read. */
export const saidReach = 160;
const minContext = 12;

const pairs: ReadonlyMap<string, string> = new Map([
  ["“", "”"],
  ["„", "“”"],
  ["«", "»"],
  ["»", "«"],
  ["‘", "’"],
  ["「", "」"],
  ["『", "』"],
  ["《", "》"],
]);
const symmetric = ['"', "`", "'"];
const aboutAttacks =
  /prompt[- ]?injections?|injection (?:attacks?|attempts?|tests?|prompts?)|jailbreak(?:s|ing)? (?:attempts?|prompts?|attacks?|phrases?)|\battack(?:er|ers|s)?\b|red[- ]team|owasp|phrases? (?:like|such as)|\b(?:detector|classifier|guardrail|benchmark|honeypot|wording)s?\b/i;

/** Words about attacks in other languages. */
const aboutAttacksElsewhere =
  /ataques?(?!\p{L})|attaquant|attaques?(?!\p{L})|angriff|angreifer|attacco|attacchi|aggressor|aanval|angrep|angreb|angrip|serangan|penyerang|tấn công|saldır|hyökkä|támad|útok|útoč|atacator|атак|злоумышленник|зловмисник|επίθεσ|επιτιθέμεν|התקפ|תוקפ|هجوم|المهاجم|حمله|مهاجم|حملہ|حملے|हमला|हमले|हमलावर|আক্রমণ|தாக்குதல்|தாக்குபவ|โจมตี|攻击|攻撃|공격|inyección|injeção|iniezion|инъекц|ін.?єкц|注入|インジェクション|인젝션/iu;

/** A person who says of themselves that they will disregard something attacks nobody. */
const ofOneself = /\b(?:i|we)(?:['’](?:ll|d)| will| would| can| could| may| did)?(?: just| then| simply| now)? ?$/i;

/** A forbidden action is not requested: system prompts contain many such sentences. */
const forbidden = /(?:\b(?:never|not|refuse to|avoid|without)|n['’]t) ?$/i;

/** The same for languages that forbid with a word before the verb. */
const forbiddenElsewhere =
  /(?:^|[^\p{L}])(?:no|nunca|jamás|não|non|ne|nie|nooit|niet|nicht|niemals|aldrig|aldri|inte|ikke|jangan|đừng|không|nikdy|älä|μην?|nu|soha ne|не|لا|不要|不得|不能|不应|不可|切勿|禁止|严禁) ?$/iu;

/** A prompt that is drafted for another bot is not an attack on the model that drafts it. */
const draftedBefore =
  /(?:\p{L}*봇(?:용|을 위한)|(?:ボット|アシスタント)(?:用|向け)[にの]?|聊天机器人写(?:一个)?[^\n。]{0,16}|botu için(?: bir)?) ?$/iu;
const draftedAfter =
  /^ ?(?:for|de|para|pour|per|van|voor|für|för|til|do|da|dla|для|del|du|untuk)(?: \p{L}+){0,4}? ?(?:chat-?|чат-?)?(?:\p{L}*bots?|\p{L}*ботов|\p{L}*бота?|chatbota)(?!\p{L})/iu;

/** The share of a match's weight that remains: 1 when it is said, less when it is quoted or discussed. */
export function saidShare(text: string, start: number, end: number): number {
  const before = text.slice(Math.max(0, start - saidReach), start);
  const after = text.slice(end, end + saidReach);
  if (ofOneself.test(before.slice(-24))) return 0.3;
  if (forbidden.test(before.slice(-12)) || forbiddenElsewhere.test(before.slice(-12))) return 0.35;
  if (isAskedAbout(before, after) || draftedBefore.test(before.slice(-24)) || draftedAfter.test(after.slice(0, 48)))
    return 0.3;
  const isDiscussed = [before, after].some((part) => aboutAttacks.test(part) || aboutAttacksElsewhere.test(part));
  if (isQuoted(before, after)) return isDiscussed ? 0.2 : 0.3;
  return isDiscussed ? 0.55 : 1;
}

/** An assistant that declines says what it was asked for. */
const refused =
  /(?:\b(?:never|not|unable to|refuse to|cannot)|n['’]t) (?:be able to |going to )?(?:help|assist|explain|describe|discuss|teach|show|tell|give|provide|share|write|offer)(?: \p{L}+){0,6} $/iu;

/**
 * The share of the weight of a match that is no attack on instructions: a request for weapons is one whoever it is of,
 * and in quotation marks too.
 */
export function askedShare(text: string, start: number): number {
  const before = text.slice(Math.max(0, start - saidReach), start);
  return forbidden.test(before.slice(-12)) || refused.test(before.slice(-72)) ? 0.35 : 1;
}

/**
 * The rest of a line after quoted text that makes it a question, as in `What is "…" in French?` and `"…" means what?`.
 */
const askedAbout = /^[^\n]{0,80}[?？؟](?:\s|$)/;

// Applies even with little text before it: a person who asks what words mean, or for their translation, does not say
// them.
function isAskedAbout(before: string, after: string): boolean {
  const [mark = ""] = before.match(/["“„«「『》《»'‘](?=[^"“”„«»「」『』\n]{0,24}$)/) ?? [];
  const closing = pairs.get(mark) ?? mark;
  if (closing === "") return false;
  const end = [...after].findIndex((unit) => closing.includes(unit));
  return end >= 0 && askedAbout.test([...after].slice(end + 1).join(""));
}

function isQuoted(before: string, after: string): boolean {
  for (const [open, closing] of pairs) {
    const at = before.lastIndexOf(open);
    if (at < minContext) continue;
    const inside = before.slice(at + 1);
    if (![...closing].some((close) => inside.includes(close)) && [...closing].some((close) => after.includes(close)))
      return true;
  }
  return symmetric.some((mark) => isWithin(mark, before.slice(before.lastIndexOf("\n") + 1), after));
}

// A mark is an opening mark when a letter follows and none precedes it; an apostrophe is neither opening nor closing.
function isWithin(mark: string, before: string, after: string): boolean {
  let open = -1;
  for (let at = before.indexOf(mark); at >= 0; at = before.indexOf(mark, at + 1)) {
    const opens = !/[\p{L}\p{N}]/u.test(before[at - 1] ?? " ") && /\S/.test(before[at + 1] ?? "x");
    const closes = /\S/.test(before[at - 1] ?? " ") && !/[\p{L}\p{N}]/u.test(before[at + 1] ?? "x");
    if (open >= 0 && closes) open = -1;
    else if (opens) open = at;
  }
  if (open < minContext) return false;
  for (let at = after.indexOf(mark); at >= 0; at = after.indexOf(mark, at + 1)) {
    if (!/[\p{L}\p{N}]/u.test(after[at + 1] ?? " ")) return true;
  }
  return false;
}
