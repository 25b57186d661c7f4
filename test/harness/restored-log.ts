// The log of evidence as a restored backup leaves it: its tables are what they were.

import type pg from "pg";

const logTables = ["audit_log", "audit_tile", "audit_checkpoint", "audit_epoch"];
const tables = ["audit_entry", "audit_opening", "audit_head", ...logTables];

/** Keeps the log as it is now. Returns what brings it back. `owner` owns the tables and names the organization. */
export async function backUpLog(owner: pg.Client): Promise<() => Promise<void>> {
  for (const table of tables) await owner.query(`create table backup_${table} as select * from ${table}`);
  return async () => {
    await owner.query("alter table audit_entry disable trigger user");
    for (const table of tables) {
      await owner.query(`delete from ${table}`);
      await owner.query(`insert into ${table} select * from backup_${table}`);
    }
    await owner.query("alter table audit_entry enable trigger user");
  };
}
