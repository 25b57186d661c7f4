// SQL that destroys data, takes over systems or leaks secrets, and common forms of SQL injection.

import type { DangerRule } from "./shell.ts";

const sql = (name: string, literal: string, after: string, score: number, before?: string): DangerRule => ({
  ...{ kind: "sql", name, literal, before, after, score },
});

const start = "(?:^|[;\"'`(\\n:][ \\t]*|\\b(?:then|run|execute)[: ]+)";
const object = '[ \\t]+(?:if[ \\t]+exists[ \\t]+)?[\\w"`.\\[\\]]{1,64}[ \\t]*(?:cascade[ \\t]*)?(?:;|--|$|\\n|["\'`)])';

/** The statements. */
export const sqlDangers: readonly DangerRule[] = [
  sql("drops a table", "drop table", object, 0.75),
  sql("drops a database", "drop database", object, 0.85),
  sql("drops a schema", "drop schema", object, 0.8),
  sql("empties a table", "truncate table", object, 0.75),
  sql("deletes all rows", "delete from", '[ \\t]+[\\w"`.]{1,64}[ \\t]*(?:;|$|--|["\'`])', 0.75, start),
  sql("deletes all rows", "delete from", '[ \\t]+[\\w"`.]{1,64}[ \\t]+where[ \\t]+(?:1[ \\t]*=[ \\t]*1|true)', 0.85),
  sql(
    "changes all rows",
    "update ",
    '[\\w"`.]{1,64}[ \\t]+set[ \\t][^;\\n]{1,120}where[ \\t]+(?:1[ \\t]*=[ \\t]*1|true)',
    0.8,
    start,
  ),
  sql(
    "changes all rows",
    "update ",
    '[\\w"`.]{1,64}[ \\t]+set[ \\t]+\\w{1,64}[ \\t]*=(?:(?!\\bwhere\\b)[^;\\n]){1,160}(?:;|$)',
    0.6,
    start,
  ),
  sql(
    "reads another table by injection",
    "union ",
    "(?:all[ \\t]+)?select[ \\t][\\w,() ]{0,60}\\b(?:password|passwd|pwd|passhash)\\b",
    0.8,
  ),
  sql("makes a condition always true", "or ''=", "", 0.85, "['\"][ \\t)]*"),
  sql("makes a condition always true", 'or ""=', "", 0.85, "['\"][ \\t)]*"),
  sql("leaks by a condition", "=(select", "[ \\t(]", 0.8, "['\"\\d)][ \\t]+(?:and|or)[ \\t]+\\d{1,4}[ \\t]*"),
  sql("leaks by an error", "extractvalue(", "[^\\n]{0,20}concat\\(", 0.85),
  sql("leaks by an error", "updatexml(", "[^\\n]{0,20}concat\\(", 0.85),
  sql("ends the query early", "'--", "", 0.75, "\\b(?:admin|administrator|root)"),
  sql(
    "reads another table by injection",
    "union ",
    "(?:all[ \\t]+)?select[ \\t]+(?:null|\\d|@@|version|user|concat|char|group_concat|\\*|[\\w,() ]{1,80}from[ \\t]+(?:information_schema|users?\\b|pg_|sys\\.|mysql\\.))",
    0.8,
    "(?:['\")\\d][ \\t]*|^[ \\t]*|/\\*\\*/|=[^ ]{0,20}[ \\t]*)",
  ),
  sql(
    "makes a condition always true",
    "or ",
    "(?:['\"]?)(\\w{1,16})\\1?['\"]?[ \\t]*=[ \\t]*['\"]?\\1['\"]?",
    0.85,
    "(?:['\"][ \\t)]*|\\d[ \\t]+)",
  ),
  sql(
    "makes a condition always true",
    "and ",
    "(\\d{1,4})[ \\t]*=[ \\t]*\\1[ \\t]*(?:--|#|/\\*)",
    0.8,
    "['\"][ \\t)]*",
  ),
  sql(
    "appends a statement",
    "; ",
    "(?:drop|delete|update|insert|exec|shutdown)[ \\t][^\\n]{1,80}--",
    0.8,
    "['\"][ \\t)]*",
  ),
  sql("runs a command", "xp_cmdshell", "", 0.85),
  sql("writes a file", "into outfile", "[ \\t]+['\"]", 0.85),
  sql("writes a file", "into dumpfile", "[ \\t]+['\"]", 0.85),
  sql("reads a file", "load_file(", "", 0.8),
  sql("reads a file", "pg_read_file(", "", 0.8),
  sql("runs a command", "to program", "[ \\t]+['\"]", 0.85, "copy[ \\t][^\\n]{1,100}"),
  sql("runs a command", "from program", "[ \\t]+['\"]", 0.85, "copy[ \\t][^\\n]{1,100}"),
  sql("waits to leak by time", "waitfor delay", "[ \\t]+['\"]", 0.9),
  sql("waits to leak by time", "pg_sleep(", "\\d", 0.65, "(?:['\";)]|\\b(?:and|or)\\b)[^\\n]{0,60}"),
  sql("waits to leak by time", "sleep(", "\\d", 0.85, "['\"\\d)][ \\t]+(?:and|or)[ \\t]+\\(?(?:select[ \\t]+)?"),
  sql("waits to leak by time", "benchmark(", "\\d{5,}", 0.8),
  sql("gives all rights", "grant all", "[ \\t]+(?:privileges[ \\t]+)?on[ \\t]+\\*\\.\\*", 0.7),
  sql("gives all rights", "superuser", "", 0.6, "(?:alter|create)[ \\t]+(?:user|role)[ \\t][^\\n;]{1,60}"),
  sql("reads password hashes", "from mysql.user", "", 0.75),
  sql("reads password hashes", "from pg_shadow", "", 0.8),
  sql("lists tables by injection", "information_schema.", "(?:tables|columns|schemata)[^\\n]{0,60}(?:--|#)", 0.75),
];
