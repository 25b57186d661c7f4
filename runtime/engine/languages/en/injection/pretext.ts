// English injection rules about a pretext: somebody who says that they hold an office, and demands data. Both parts
// count only together, and a person of an office who asks how to do their work demands nothing. What stands between them
// is so short that a stream holds back no more than a window for a match. For weights see instruction.ts.

import type { Rule } from "../../injection-part.ts";

const office =
  "(?:it|help ?desk|it support|tech(?:nical)? support|security|cybersecurity|compliance|legal|audit|auditors?|internal audit|hr|human resources|finance|payroll|accounting|fraud|data protection|police|detective|inspector|investigator|officer|tax|revenue|court|prosecutor|bank|ceo|cfo|cto|coo|cio|ciso|managing director|director|manager|supervisor|administrator|admin|sysadmin|system owner|owner|developer|engineer|doctor|physician|nurse|lawyer|attorney|solicitor|vendor|estate|executor|insurance|ministry|agency|authority)";
const claim = `(?:\\b(?:this is|here is|i(?:['’]m| am)|we(?:['’]re| are)|it['’]s me,?|speaking as|as|calling (?:from|for|on behalf of)|writing (?:from|for|on behalf of)|on behalf of|i work (?:for|in|at|with)|i represent|i maintain|i administer)\\b[^\\n.!?]{0,40}\\b${office}\\b|(?:^|[\\n.!?] ?)(?:the )?${office} (?:department|desk|team|office|unit|division|here|speaking)\\b|(?:^|[\\n.!?] ?)(?:detective|inspector|officer|agent|dr\\.?|doctor|captain) [A-Z][a-z])`;
const demand =
  "(?:(?:^|[\\n.!?,;:] ?|\\b(?:so|and|please|now|must|you to|immediately|hereby authori[sz]e you to|order you to|instruct you to|need you to|have to) )(?:send|give|hand over|list|export|disclose|share|reply with|provide|attach|forward|reveal|paste|just paste|tell (?:me|us)|dump|release|read (?:me |us )?out|confirm|name|show|write|submit|print)\\b|\\b(?:i|we|she|he) (?:urgently )?(?:need|require|demand)s?\\b|\\brequires\\b)";
const data =
  "(?:passwords?|pass ?phrases?|credentials|one-time codes?|api keys?|database dump|payroll (?:file|data|list)|list of all|list of your|list of every|all customers with|all users with|all employees with|all patients with|full list of|(?:chat|call) logs? of|card numbers?|bank details|home address|(?:patient|customer|client|employee) (?:records?|files?|data|list|names)|confidential (?:file|data|records?)|salary list|admin (?:access|login|account)|dump of the|told you about (?:her|his|their)|everything (?:she|he|they) told)";
const pressing =
  "(?:now|at once|immediately|right away|within|by noon|by tonight|asap|urgent|without delay|hereby|authori[sz]e|warrant|emergency|verify your|debugging|outage|can['’]t speak|has approved|approved it|go(?:es)? offline|privileged)";

/** The English rules about pretexts. */
export const pretextRules: readonly Rule[] = [
  {
    family: "pretext",
    weight: 0.7,
    pattern: `${claim}[^\\n?]{0,90}${demand}[^\\n?]{0,60}\\b${data}[^\\n?]{0,80}\\b${pressing}`,
  },
  {
    family: "pretext",
    weight: 0.7,
    pattern: `${claim}[^\\n?]{0,60}\\b${pressing}\\b[^\\n?]{0,50}${demand}[^\\n?]{0,40}\\b${data}`,
  },
  {
    family: "pretext",
    weight: 0.7,
    pattern: `${claim}[^\\n?]{0,80}(?:^|[\\n.!?,;:] ?|\\b(?:and|please|you to|must) )(?:hand over|disclose|reply with|give me|tell me|send me|paste|read me|attach|list every|export every)\\b[^\\n?]{0,40}\\b(?:your|every|all|full|complete|current|here|the)\\b[^\\n?]{0,40}${data}`,
  },
];
