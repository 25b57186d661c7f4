// Regular expressions that made released software hang. They are taken from its published files; the one of
// Cloudflare's outage from accounts of it, which agree on its core. Each comes with a text that still makes a
// backtracking engine hang: V8 did not finish 64,000 characters of any of them within three seconds.

/** A pattern that made software hang. */
export interface AdvisoryPattern {
  /** Name and version. */
  readonly software: string;
  /** The advisory that names this software, if one was found. */
  readonly advisory?: string;
  readonly pattern: string;
  readonly ignoreCase?: boolean;
  /** A text of about so many characters that makes a backtracking engine explode. */
  readonly attack: (length: number) => string;
  /** The construct that this engine does not support, for a pattern that is refused. */
  readonly refused?: RegExp;
}

const repeat = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length));

/** Twenty-one of them. */
export const advisoryPatterns: readonly AdvisoryPattern[] = [
  {
    software: "brace-expansion 1.1.6",
    pattern: "^(.*,)+(.+)?$",
    attack: (n) => `${repeat(",", n)}\n`,
  },
  {
    software: "axios 0.21.1",
    advisory: "CVE-2021-3749",
    pattern: String.raw`\s*$`,
    attack: (n) => `${repeat(" ", n)}a`,
  },
  {
    software: "debug 2.6.8",
    advisory: "CVE-2017-16137",
    pattern: String.raw`\s*\n\s*`,
    attack: (n) => `${repeat(" ", n)}a`,
  },
  {
    software: "ms 0.7.0",
    pattern: String.raw`^((?:\d+)?\.?\d+) *(milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|years?|yrs?|y)?$`,
    ignoreCase: true,
    attack: (n) => `${repeat("5", n)} minutea`,
  },
  { software: "fresh 0.5.0", pattern: " *, *", attack: (n) => `${repeat(" ", n)}a` },
  {
    software: "mime 1.4.0",
    advisory: "CVE-2017-16138",
    pattern: String.raw`.*[\.\/\\]`,
    attack: (n) => repeat("a", n),
  },
  {
    software: "tough-cookie 2.3.2",
    advisory: "CVE-2017-15010",
    pattern: String.raw`^(([^=;]+))\s*=\s*([^\n\r\x00]*)`,
    attack: (n) => `x${repeat(" ", n)}x`,
  },
  {
    software: "sshpk 1.13.1",
    advisory: "CVE-2018-3737",
    pattern: String.raw`^([a-z0-9-]+)[ \t]+([a-zA-Z0-9+\/]+[=]*)([\n \t]+([^\n]+))?$`,
    attack: (n) => `ssh-rsa AAAA${repeat(" ", n)}\n`,
  },
  {
    software: "glob-parent 5.1.1",
    advisory: "CVE-2020-28469",
    pattern: String.raw`[\{\[].*[\/]*.*[\}\]]$`,
    attack: (n) => `{${repeat("/", n)}`,
  },
  {
    software: "path-parse 1.0.6",
    advisory: "CVE-2021-23343",
    pattern: String.raw`^(\/?|)([\s\S]*?)((?:\.{1,2}|[^\/]+?|)(\.[^.\/]*|))(?:[\/]*)$`,
    attack: (n) => `a${repeat("/", n)}a.b`,
  },
  {
    software: "ansi-regex 5.0.0",
    advisory: "CVE-2021-3807",
    pattern: String.raw`[\x{1B}\x{9B}][[\]()#;?]*(?:(?:(?:[a-zA-Z\d]*(?:;[-a-zA-Z\d\/#&.:=?%@~_]*)*)?\x{07})|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-ntqry=><~]))`,
    attack: (n) => `\u001b[${repeat(";", n)}`,
  },
  {
    software: "color-string 1.5.4",
    advisory: "CVE-2021-29060",
    pattern: String.raw`^hwb\(\s*([+-]?\d*[\.]?\d+)(?:deg)?\s*,\s*([+-]?[\d\.]+)%\s*,\s*([+-]?[\d\.]+)%\s*(?:,\s*([+-]?[\d\.]+)\s*)?\)$`,
    attack: (n) => `hwb(${repeat("1", n)}`,
  },
  { software: "minimatch 3.0.4", pattern: String.raw`\{.*\}`, attack: (n) => repeat("{", n) },
  {
    software: "moment 2.29.3",
    advisory: "CVE-2022-31129",
    pattern: String.raw`\([^)]*\)|[\n\t]`,
    attack: (n) => repeat("(", n),
  },
  {
    software: "moment 2.15.1",
    pattern: String.raw`D[oD]?(\[[^\[\]]*\]|\s+)+MMMM?`,
    attack: (n) => `D${repeat(" ", n)}M`,
  },
  {
    software: "websocket-extensions 0.1.3",
    advisory: "CVE-2020-7662",
    pattern: String.raw`"((?:\\[\x00-\x7f]|[^\x00-\x08\x0a-\x1f\x7f"])*)"`,
    attack: (n) => `"${repeat("\\c", n)}`,
  },
  {
    software: "Django, truncatechars_html",
    advisory: "CVE-2018-7537",
    pattern: String.raw`<.*?>|((?:\w[-\w]*|&.*?;)+)`,
    attack: (n) => repeat("&", n),
  },
  {
    software: "Python difflib, IS_LINE_JUNK",
    pattern: String.raw`\s*#?\s*$`,
    attack: (n) => `${repeat("\t", n)}##`,
  },
  {
    software: "Cloudflare WAF",
    advisory: "outage of 2019-07-02",
    pattern: ".*(?:.*=.*)",
    attack: (n) => repeat("x", n),
  },
  {
    software: "Python urllib, AbstractBasicAuthHandler",
    advisory: "CVE-2020-8492",
    pattern: String.raw`(?:.*,)*[ \t]*([^ \t]+)[ \t]+realm=(["']?)([^"']*)\2`,
    attack: (n) => repeat(",", n),
    refused: /back-references are not supported/,
  },
  {
    software: "marked 0.3.6",
    advisory: "CVE-2017-16114",
    pattern: "^(`+)\\s*([\\s\\S]*?[^`])\\s*\\1(?!`)",
    attack: (n) => repeat("`", n),
    refused: /back-references are not supported|look-around is not supported/,
  },
];
