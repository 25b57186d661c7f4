/**
 * Drops the partitions of months, which come and go: the entities know only the default one, and are compared without
 * them.
 */
export const dropMonthPartitionsSql = `do $$ declare month regclass; begin
  for month in select oid::regclass from pg_class where relispartition and relkind = 'r' and relname ~ '_p[0-9_]+$'
  loop execute format('drop table %s', month); end loop;
end $$`;
