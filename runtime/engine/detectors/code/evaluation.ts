// Calls that execute their argument, whoever supplies it.

import { type DangerRule, word } from "./shell.ts";

const evaluation = (name: string, literal: string, after: string, score: number, before?: string): DangerRule => ({
  ...{ kind: "eval", name, literal, before, after, score },
});

const fromPhp = "[^\\n)]{0,40}\\$_(?:GET|POST|REQUEST|COOKIE|SERVER)";
const fromOutside =
  "[^\\n)]{0,40}(?:request|\\breq\\.|input|params|argv|\\$_(?:GET|POST|REQUEST|COOKIE)|atob|base64|b64decode|decode|body|location\\b|window\\.name|recv|urlopen|urllib|requests\\.)";

/** The calls. */
export const evaluationDangers: readonly DangerRule[] = [
  evaluation("runs a command", "os.system(", "", 0.6),
  evaluation("runs a command", "subprocess.", "(?:run|call|Popen|check_output)\\([^\\n]{0,120}shell[ ]*=[ ]*True", 0.7),
  evaluation("runs a command", "child_process", "[\"')]{1,2}[^\\n]{0,40}\\.?exec", 0.65),
  evaluation("runs a command", "Runtime.getRuntime().exec(", "", 0.7),
  evaluation("runs what it is given", "eval(", fromOutside, 0.85, word),
  evaluation("runs what it is given", "exec(", fromOutside.replace("input", "input\\("), 0.85, word),
  evaluation("runs what it is given", "Function(", fromOutside, 0.85, "new[ \\t]{1,4}"),
  evaluation("runs what it is given", "settimeout(", "[^\\n)]{0,20}(?:location\\b|window\\.name)", 0.8, word),
  evaluation(
    "runs what it is given",
    "vm.runIn",
    "(?:This|New)?Context\\([^\\n)]{0,40}(?:\\breq|input|body|param|argv)",
    0.85,
  ),
  evaluation("runs a command", "os.popen(", fromOutside, 0.8),
  evaluation("runs a command", "execSync(", fromOutside, 0.8),
  evaluation("runs a command", "shell_exec(", fromPhp, 0.9),
  evaluation("runs a command", "passthru(", fromPhp, 0.9),
  evaluation("runs a command", "proc_open(", fromPhp, 0.9),
  evaluation("runs a command", "system(", "[^\\n)]{0,40}(?:\\$_(?:GET|POST|REQUEST|COOKIE)|params\\[)", 0.9, word),
  evaluation("runs what it is given", "assert(", fromPhp, 0.9, word),
  evaluation("runs a file from elsewhere", "include(", fromPhp, 0.85, word),
  evaluation("runs a command", "Process.Start(", "[^\\n]{0,60}(?:Request|input|args\\[)", 0.75),
  evaluation(
    "loads untrusted objects",
    "yaml.load(",
    "(?![^\\n)]{0,60}SafeLoader)[^\\n)]{0,40}(?:request|input|recv|body)",
    0.7,
  ),
  evaluation("loads untrusted objects", "ObjectInputStream(", "[^\\n]{0,60}(?:request|socket)", 0.7),
  evaluation("loads untrusted objects", "unserialize(", "[^\\n)]{0,40}(?:\\$_|base64)", 0.8),
  evaluation("runs what it is given", "__import__(", "[\"'](?:os|subprocess|socket|pty)[\"']\\)", 0.8),
  evaluation("loads untrusted objects", "pickle.loads(", "[^\\n)]{0,40}(?:request|input|recv|body|b64decode)", 0.75),
  evaluation("looks up a remote object", "${jndi:", "(?:ldaps?|rmi|dns|iiop)", 0.98),
  evaluation("injects a template", "__globals__", "", 0.8),
  evaluation("injects a template", "__mro__[", "", 0.85),
  evaluation("injects a template", ".__subclasses__(", "", 0.85),
];
