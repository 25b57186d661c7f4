// Shell commands that destroy data, take over systems or leak secrets.

/** A dangerous command. */
export interface DangerRule {
  readonly kind: "shell" | "sql" | "eval";
  /** What the command does; reported as an attribute. */
  readonly name: string;
  /** A literal that every such command contains. */
  readonly literal: string;
  /** The text before the literal, as a pattern of bounded length. */
  readonly before?: string;
  /** The text after the literal, as a pattern of bounded length; it may be empty. */
  readonly after: string;
  readonly score: number;
}

const shell = (name: string, literal: string, after: string, score: number, before?: string): DangerRule => ({
  ...{ kind: "shell", name, literal, before, after, score },
});

/** The boundary before a separate word. */
export const word = "(?:^|[^A-Za-z0-9_.-])";
// With a program of its own, as in `| python3 -m json.tool`, an interpreter treats the download as data.
const interpreter =
  "(?:sudo )?(?:ba|z|k|da)?sh\\b|(?:sudo )?(?:python[23]?|perl|ruby|node|php)\\b(?![ \\t]+-[A-Za-z]{1,8}\\b)";
const disk = "/dev/(?:sd|hd|nvme|vd|xvd|mmcblk|disk)";
const secretFile = "(?:/etc/(?:passwd|shadow)|\\.ssh/|\\.aws/|\\.env\\b|\\.kube/|id_rsa)";
const drive = "[\"']?[a-z]:\\\\(?:[ \\t&\"'*]|$|windows)";

/** The commands. */
export const shellDangers: readonly DangerRule[] = [
  shell(
    "deletes everything",
    "rm -",
    "(?:[a-z]*r[a-z]*f|[a-z]*f[a-z]*r|r[a-z]* -f|f[a-z]* -r)[a-z]*[ \\t]+(?:--no-preserve-root[ \\t]+)?(?:--[ \\t]+)?[\"']?(?:/|~|\\*|\\$HOME|\\$\\{HOME|\\.(?:[ \\t;]|$))(?![a-z]{1,20}/[a-z0-9])",
    0.9,
    word,
  ),
  shell("deletes everything", "--no-preserve-root", "", 0.9),
  shell("deletes everything", "find /", "[ \\t][^\\n]{0,80}-(?:delete\\b|exec[ \\t]+rm\\b)", 0.85, word),
  shell("deletes everything", "/dev/null", "", 0.8, "mv[ \\t]+/[^\\n]{0,40}[ \\t]"),
  shell("wipes a disk", "shred ", `[^\\n]{0,40}(?:${disk}|${secretFile})`, 0.85, word),
  shell("wipes a disk", "wipefs ", `[^\\n]{0,40}${disk}`, 0.85, word),
  shell("ends all processes", "kill -9 -1", "(?![0-9])", 0.8, word),
  shell("formats a disk", "mkfs", "(?:\\.[a-z0-9]{2,8})?[ \\t]+(?:-[a-z]+[ \\t]+){0,4}/dev/", 0.9, word),
  shell("overwrites a disk", "of=/dev/", "(?:sd|hd|nvme|vd|mmcblk|disk)[a-z0-9]*", 0.9, "dd [^\\n]{0,80}"),
  shell("overwrites a disk", "> /dev/", "(?:sd|hd|nvme|vd)[a-z]", 0.9),
  shell("exhausts processes", ":(){", "[ \\t]*:[ \\t]*\\|[ \\t]*:[ \\t]*&[ \\t]*\\}[ \\t]*;[ \\t]*:", 0.95),
  shell(
    "opens all permissions",
    "chmod ",
    "(?:-R[ \\t]+|--recursive[ \\t]+)(?:0?777|a\\+rwx)[ \\t]+/(?:[ \\t\\n]|$|etc|usr|var|bin)",
    0.85,
    word,
  ),
  shell(
    "opens all permissions",
    "chmod ",
    "(?:0?777|a\\+rwx)[ \\t]+(?:-R|--recursive)[ \\t]+/(?:[ \\t\\n]|$|etc|usr|var|bin)",
    0.85,
    word,
  ),
  shell("runs what it downloads", "| ", `(?:${interpreter})`, 0.85, "(?:curl|wget|fetch)[ \\t][^\\n|]{4,140}"),
  shell("runs what it downloads", "|", `(?:${interpreter})`, 0.85, "(?:curl|wget|fetch)[ \\t][^\\n|]{4,140}"),
  shell("runs what it downloads", "(curl ", "[^\\n)]{4,140}\\)", 0.85, `(?:${interpreter})[^\\n]{0,12}[<$]`),
  shell("runs what it downloads", "(wget ", "[^\\n)]{4,140}\\)", 0.85, `(?:${interpreter})[^\\n]{0,12}[<$]`),
  shell("runs what is encoded", "base64 ", `(?:-d|-D|--decode)[ \\t]*\\|[ \\t]*(?:${interpreter})`, 0.9),
  shell("opens a reverse shell", "/dev/tcp/", "[^\\s/]{1,80}/\\d{1,5}", 0.95),
  shell(
    "opens a reverse shell",
    "nc ",
    "(?:-[a-z]+[ \\t]+){0,4}[^\\n]{0,60}-[a-z]*e[ \\t]+/?(?:bin/)?(?:ba)?sh",
    0.9,
    word,
  ),
  shell("opens a reverse shell", "ncat ", "[^\\n]{0,80}(?:-e|--exec|--sh-exec)", 0.9, word),
  shell("opens a reverse shell", "socat ", "[^\\n]{0,100}exec:", 0.85, word),
  shell("opens a reverse shell", "mkfifo ", "[^\\n]{0,120}(?:nc|sh -i)", 0.85, word),
  shell("opens a reverse shell", "/bin/sh -i", "", 0.85),
  shell("opens a reverse shell", "/bin/bash -i", "", 0.85),
  shell("opens a reverse shell", "/bin/sh", "[\"'],[ ]*[\"']-i", 0.85),
  shell("opens a reverse shell", "/bin/bash", "[\"'],[ ]*[\"']-i", 0.85),
  shell("opens a reverse shell", "pty.spawn(", "[\"'](?:/bin/)?(?:ba|z|da)?sh", 0.85),
  shell("opens a reverse shell", "fsockopen(", "[^\\n]{0,120}(?:exec|system|proc_open|popen)\\(", 0.9),
  shell(
    "sends files away",
    "| nc ",
    "[^\\n]{1,60}\\d{2,5}",
    0.75,
    "(?:tar|zip|cat)[ \\t][^\\n|]{0,80}(?:/home|/root|/etc|~)[^\\n|]{0,40}",
  ),
  shell(
    "sends files away",
    "| curl",
    "[^\\n]{0,140}https?:",
    0.85,
    `(?:cat|base64|tar|env)[ \\t][^\\n|]{0,60}${secretFile}[^\\n|]{0,40}`,
  ),
  shell(
    "sends files away",
    "=@",
    `[^\\n \\t]{0,60}${secretFile}`,
    0.85,
    "curl[ \\t][^\\n]{0,80}(?:-F|--form)[ \\t]+[\"']?\\w{1,20}",
  ),
  shell("adds a root user", "/etc/passwd", "", 0.85, ">>?[ \\t]*"),
  shell("weakens sudo", "/etc/sudoers", "", 0.85, "(?:>>?|tee -a)[ \\t]*"),
  shell("lets a key in", "authorized_keys", "", 0.4, ">>?[ \\t]*[^\\n]{0,60}"),
  shell(
    "stays by a schedule",
    "crontab",
    "[ \\t]+-(?:[ \\t]|$)",
    0.8,
    "(?:curl|wget|nc|bash -i)[ \\t][^\\n]{0,120}\\|[ \\t]*",
  ),
  shell(
    "reads secrets of the system",
    "/etc/shadow",
    "",
    0.75,
    "(?:cat|less|more|head|tail|cp|scp|curl|nano|vi|vim)[ \\t][^\\n]{0,60}",
  ),
  shell(
    "reads private keys",
    ".ssh/id_",
    "(?:rsa|ed25519|ecdsa|dsa)(?!\\.pub)",
    0.7,
    "(?:cat|less|cp|scp|curl|base64|tar)[ \\t][^\\n]{0,80}",
  ),
  shell(
    "reads cloud credentials",
    ".aws/credentials",
    "",
    0.65,
    "(?:cat|less|cp|scp|curl|base64|tar)[ \\t][^\\n]{0,80}",
  ),
  shell(
    "asks the cloud for credentials",
    "169.254.169.254",
    "(?:/latest/(?:meta-data|api|user-data|dynamic)|/metadata)",
    0.9,
  ),
  shell(
    "sends files away",
    "--data",
    "(?:-binary|-raw)?[ \\t]+[\"']?@/?(?:etc|home|root|\\.ssh|\\.env|\\.aws)",
    0.85,
    "curl[ \\t][^\\n]{0,120}",
  ),
  shell("adds a root user", "useradd ", "[^\\n]{0,60}-u[ \\t]*0", 0.85, word),
  shell("weakens sudo", "NOPASSWD", ":[ \\t]*ALL", 0.7),
  shell("disables protection", "setenforce 0", "", 0.6, word),
  shell("disables protection", "iptables -F", "", 0.7, word),
  shell("removes traces", "history -c", "", 0.6, word),
  shell("hides a download", "certutil", "[^\\n]{0,40}-urlcache", 0.9, word),
  shell(
    "runs an encoded script",
    "powershell",
    "(?:\\.exe)?[^\\n]{0,80}[ \\t]-e(?:nc?|nco?d?e?d?c?o?m?m?a?n?d?)?[ \\t]+[A-Za-z0-9+/=]{16}",
    0.9,
    word,
  ),
  shell("runs what it downloads", "DownloadString(", "", 0.8),
  shell(
    "runs what it downloads",
    "iex",
    "[ \\t]*\\([ \\t]*(?:iwr|irm|curl|wget|Invoke-WebRequest|New-Object)",
    0.9,
    word,
  ),
  shell("runs what it downloads", "Invoke-Expression", "[ \\t]*\\([ \\t]*(?:iwr|irm|Invoke-|New-Object)", 0.9),
  shell("runs what it downloads", "Invoke-WebRequest", "[^\\n]{0,160}\\|[ \\t]*(?:iex|Invoke-Expression)", 0.9),
  shell("disables protection", "Set-MpPreference", "[^\\n]{0,60}-Disable", 0.9),
  shell("deletes shadow copies", "vssadmin", "[^\\n]{0,20}delete[ \\t]+shadows", 0.95, word),
  shell("deletes everything", "format c:", "", 0.7, word),
  shell("deletes everything", "format ", "[a-z]:[ \\t]+/(?:y|q|fs)\\b", 0.8, word),
  shell("deletes everything", "rd /s", `[^\\n]{0,12}[ \\t]${drive}`, 0.85, word),
  shell("deletes everything", "rmdir /s", `[^\\n]{0,12}[ \\t]${drive}`, 0.85, word),
  shell("deletes everything", "del /", "[fsq][^\\n]{0,20}(?:/[fsq][^\\n]{0,20}){0,3}c:\\\\", 0.85, word),
  shell("deletes everything", "Remove-Item", "[^\\n]{0,60}-Recurse[^\\n]{0,40}(?:C:\\\\|/|\\$env)", 0.8),
  shell(
    "deletes a cluster's resources",
    "kubectl delete",
    "[ \\t]+(?:ns|namespaces?|all|pv|pvc|nodes?)\\b[^\\n]{0,40}--all",
    0.85,
    word,
  ),
  shell("destroys infrastructure", "terraform destroy", "[^\\n]{0,40}-auto-approve", 0.8, word),
  shell("leaves a container", "docker run", "[^\\n]{0,80}(?:--privileged|-v[ \\t]+/:)", 0.75, word),
  shell("rewrites shared history", "git push", "[^\\n]{0,40}(?:--force|-f)\\b[^\\n]{0,20}(?:main|master)", 0.6, word),
];
