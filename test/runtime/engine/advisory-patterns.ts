// Regular expressions of published advisories about denial of service, with texts of the kind that made them explode.

/** A pattern of an advisory. */
export interface AdvisoryPattern {
  readonly advisory: string;
  readonly software: string;
  readonly pattern: string;
  readonly ignoreCase?: boolean;
  /** A text of about so many characters that makes a backtracking engine explode. */
  readonly attack: (length: number) => string;
  /** What the engine does not have, for a pattern that is refused. */
  readonly refused?: RegExp;
}

const repeat = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length));

/** Twenty-two of them. */
export const advisoryPatterns: readonly AdvisoryPattern[] = [
  {
    advisory: "CVE-2017-18077",
    software: "brace-expansion",
    pattern: String.raw`^(.*,)+(.+)?$`,
    attack: (n) => `${repeat(",", n)}\n`,
  },
  { advisory: "CVE-2020-7753", software: "trim", pattern: String.raw`^\s*|\s*$`, attack: (n) => `a${repeat(" ", n)}a` },
  { advisory: "CVE-2021-3749", software: "axios", pattern: String.raw`\s*$`, attack: (n) => `${repeat(" ", n)}a` },
  { advisory: "CVE-2017-16137", software: "debug", pattern: String.raw`\s*\n\s*`, attack: (n) => `${repeat(" ", n)}a` },
  {
    advisory: "CVE-2015-8315",
    software: "ms",
    pattern: String.raw`^((?:\d+)?\.?\d+) *(ms|seconds?|s|minutes?|m|hours?|h|days?|d|years?|y)?$`,
    ignoreCase: true,
    attack: (n) => `${repeat("5", n)} minutea`,
  },
  { advisory: "CVE-2017-16119", software: "fresh", pattern: " *, *", attack: (n) => `${repeat(" ", n)}a` },
  { advisory: "CVE-2017-16138", software: "mime", pattern: String.raw`.*[\.\/\\]`, attack: (n) => repeat("a", n) },
  {
    advisory: "CVE-2017-15010",
    software: "tough-cookie",
    pattern: String.raw`^(([^=;]+))\s*=\s*([^\n\r\x00]*)`,
    attack: (n) => `x${repeat(" ", n)}x`,
  },
  {
    advisory: "CVE-2018-3737",
    software: "sshpk",
    pattern: String.raw`^([a-z0-9-]+)[ \t]+([a-zA-Z0-9+\/]+[=]*)([\n \t]+([^\n]+))?$`,
    attack: (n) => `ssh-rsa AAAA${repeat(" ", n)}\n`,
  },
  {
    advisory: "CVE-2020-28469",
    software: "glob-parent",
    pattern: String.raw`[\{\[].*[\/]*.*[\}\]]$`,
    attack: (n) => `{${repeat("/", n)}`,
  },
  {
    advisory: "CVE-2021-23343",
    software: "path-parse",
    pattern: String.raw`^(\/?|)([\s\S]*?)((?:\.{1,2}|[^\/]+?|)(\.[^.\/]*|))(?:[\/]*)$`,
    attack: (n) => `a${repeat("/", n)}a.b`,
  },
  {
    advisory: "CVE-2021-3807",
    software: "ansi-regex",
    pattern: String.raw`[\x{1B}\x{9B}][[\]()#;?]*(?:(?:(?:[a-zA-Z\d]*(?:;[-a-zA-Z\d\/#&.:=?%@~_]*)*)?\x{07})|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-ntqry=><~]))`,
    attack: (n) => `\u001b[${repeat(";", n)}`,
  },
  {
    advisory: "CVE-2021-29060",
    software: "color-string",
    pattern: String.raw`^hwb\(\s*([+-]?\d*[\.]?\d+)(?:deg)?\s*,\s*([+-]?[\d\.]+)%\s*,\s*([+-]?[\d\.]+)%\s*(?:,\s*([+-]?[\d\.]+)\s*)?\)$`,
    attack: (n) => `hwb(${repeat("1", n)}`,
  },
  { advisory: "CVE-2022-3517", software: "minimatch", pattern: String.raw`\{.*\}`, attack: (n) => repeat("{", n) },
  {
    advisory: "CVE-2022-31129",
    software: "moment",
    pattern: String.raw`\([^)]*\)|[\n\t]`,
    attack: (n) => repeat("(", n),
  },
  {
    advisory: "CVE-2017-18214",
    software: "moment",
    pattern: String.raw`D[oD]?(\[[^\[\]]*\]|\s+)+MMMM?`,
    attack: (n) => `D${repeat(" ", n)}M`,
  },
  {
    advisory: "CVE-2020-7662",
    software: "websocket-extensions",
    pattern: String.raw`"((?:\\[\x00-\x7f]|[^\x00-\x08\x0a-\x1f\x7f"])*)"`,
    attack: (n) => `"${repeat("\\c", n)}`,
  },
  {
    advisory: "CVE-2018-7537",
    software: "Django",
    pattern: String.raw`<.*?>|((?:\w[-\w]*|&.*?;)+)`,
    attack: (n) => `&${repeat("a;&", n)}`,
  },
  {
    advisory: "CVE-2018-1061",
    software: "Python difflib",
    pattern: String.raw`\s*#?\s*$`,
    attack: (n) => `${repeat("\t", n)}##`,
  },
  {
    advisory: "2019-07-02 outage",
    software: "Cloudflare WAF",
    pattern: String.raw`(?:(?:"|'|\]|\}|\\|\d|(?:nan|infinity|true|false|null|undefined|symbol|math)|\x60|\-|\+)+[)]*;?((?:\s|-|~|!|\{\}|\|\||\+)*.*(?:.*=.*)))`,
    attack: (n) => `x=${repeat("x", n)}`,
  },
  {
    advisory: "CVE-2020-8492",
    software: "Python urllib",
    pattern: String.raw`(?:.*,)*[ \t]*([^ \t]+)[ \t]+realm=(["']?)([^"']*)\2`,
    attack: (n) => repeat(",", n),
    refused: /back-references are not supported/,
  },
  {
    advisory: "CVE-2017-16114",
    software: "marked",
    pattern: "^(`+)\\s*([\\s\\S]*?[^`])\\s*\\1(?!`)",
    attack: (n) => repeat("`", n),
    refused: /back-references are not supported|look-around is not supported/,
  },
];
