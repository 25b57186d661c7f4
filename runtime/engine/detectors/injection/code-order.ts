// Injection rules for orders in code, which is the same in every language: calls into the system that somebody is told
// to run, expressions that a template engine would evaluate, and pages that send away what the browser knows.

import type { Rule } from "../../languages/injection-part.ts";

const family = "code_execution";
/** The beginning of an order; "how do I run …" asks for something else. */
const order =
  "(?:^|[\\n.!?:;,>*(\"'] ?|\\b(?:please|now|then|and|just|also|must|tool to|sandbox to|shell to|interpreter to) )";
const verb =
  "(?:run|execute|exec|eval|evaluate|interpret|calculate|compute|solve|type|enter|perform|ausf[uü]hren|führe|exécute[rz]?|ejecuta|execut[ae]|esegui|voer|выполни|执行|运行|実行して|실행해)";
const call =
  "(?:__import__ ?\\(|__builtins__|os\\.(?:system|popen|listdir|environ|execv|remove)\\b|subprocess\\.(?:run|call|check_output|getoutput|popen)|shutil\\.rmtree|\\bexec ?\\(|\\beval ?\\([\"'_(]|\\bopen ?\\([\"']/(?:etc|proc|root|home|var)|importlib\\.import_module|child_process|runtime\\.getruntime|bytes\\.fromhex|/proc/self/|/etc/(?:passwd|shadow|hosts)|~/\\.(?:ssh|aws|netrc|env|bash_history)|\\bid_rsa\\b|rm -rf? (?:--no-preserve-root )?[/~*](?:[ \"'`;&]|$)|socket\\.socket\\()";
const machine =
  "(?:your (?:sandbox|terminal|shell|container|interpreter|server|python tool|code tool|shell tool|bash tool|terminal tool|code cell)|the (?:python tool|code tool|shell tool|bash tool|terminal tool|code cell|sandbox))\\b";
const command =
  "(?:printenv|\\benv\\b|whoami|uname|\\bid\\b[;|`]|ls -|cat [~/.]|curl |wget |nc -|bash -[ci]|chmod |sudo |ps aux|netstat|ifconfig|crontab|history)";

const orders: readonly Rule[] = [
  { family, weight: 0.88, pattern: `${order}${verb}\\b[^\\n]{0,60}${call}` },
  {
    family,
    weight: 0.85,
    pattern: `${order}(?:open|use|in|on|with|start) ${machine}[^\\n]{0,60}(?:${call}|${command})`,
  },
  { family, weight: 0.85, pattern: `${order}${verb}\\b[^\\n]{0,60}${command}[^\\n]{0,60}\\b(?:in|on|with) ${machine}` },
  {
    family,
    weight: 0.75,
    pattern:
      "\\b(?:open|start|spawn|give me|get me|launch|drop me into) (?:me )?(?:an? |the )?(?:reverse |root |interactive |bash )?(?:shell|terminal|root access|command line)\\b[^\\n.!?]{0,40}\\b(?:you (?:run|are running|live) (?:on|in)|your (?:own )?(?:server|machine|host|container|sandbox))",
  },
  {
    family,
    weight: 0.7,
    pattern:
      "\\b(?:print|show|list|read|dump|give|quote|echo|send|paste|output|tell)\\b[^\\n.!?]{0,30}\\b(?:your (?:server|host|container|sandbox|process)?['’]?s? ?|(?:contents? )?of (?:your|the machine you run on)[^\\n.!?]{0,16})(?:environment variables?|env vars?|file ?system|root directory|process list|source code|working directory|home directory)\\b",
  },
];

const templates: readonly Rule[] = [
  {
    family,
    weight: 0.88,
    pattern:
      "\\{\\{[^{}\\n]{0,80}(?:__[a-z]+__|\\bconfig\\.items\\(|request\\.application|\\blipsum\\b|\\bcycler\\b|\\bjoiner\\b|\\.popen\\(|constructor\\.constructor|\\b\\d{1,4} ?\\* ?'?\\d{1,4}'? ?\\}\\})",
  },
  { family, weight: 0.88, pattern: "\\{%[^%\\n]{0,80}(?:__[a-z]+__|\\bimport os\\b|\\bdebug ?%\\})" },
  {
    family,
    weight: 0.88,
    pattern: "[$#*]\\{[^}\\n]{0,60}(?:\\bT\\(java|java\\.lang\\.|getRuntime|new java\\.)",
  },
  {
    family,
    weight: 0.88,
    pattern:
      "<%=? ?(?:`|system ?\\(|exec ?\\(|%x|IO\\.popen|File\\.(?:open|read) ?\\(|Dir\\.|\\d{1,4} ?\\* ?\\d{1,4} ?%>)",
  },
];

const pages: readonly Rule[] = [
  {
    family: "exfiltration",
    weight: 0.75,
    pattern:
      "(?:fetch ?\\(|image ?\\(\\)\\.src|location(?:\\.href)? ?=|sendbeacon ?\\(|\\.src ?=)[^\\n;]{0,80}https?:[^\\n;]{0,80}\\+ ?(?:encodeuricomponent ?\\( ?|btoa ?\\( ?|json\\.stringify ?\\( ?)?(?:document\\.(?:cookie|body|documentelement)|localstorage|sessionstorage)",
  },
  {
    family: "exfiltration",
    weight: 0.78,
    pattern:
      "<img\\b[^>\\n]{0,120}[\"'] ?\\+ ?(?:conversation|chat|history|prompt|messages?|secrets?|user(?:data|input)?|context)\\b",
  },
  {
    family: "exfiltration",
    weight: 0.75,
    pattern:
      "https?://[^\\s<>\\[\\]{}]{2,120}[/?&=](?:<|\\{\\{?|\\[|%7b|\\()[^<>{}\\[\\]()\\n]{0,40}(?:summary|this (?:chat|conversation)|(?:chat|conversation) history|the user['’]?s?|customer['’]s|system prompt|previous (?:message|answer)|user['’]s (?:question|message|name|e-?mail))[^<>{}\\[\\]()\\n]{0,40}(?:>|\\}\\}?|\\]|%7d|\\))",
  },
];

/** The rules. */
export const codeRules: readonly Rule[] = [...orders, ...templates, ...pages];
