/** An index in the order of lists: org_id, the given columns, then (created_at desc, id). */
export function newestFirst(name: string, columns: readonly string[], where?: string) {
  return {
    name,
    columns: [
      ...["org_id", ...columns].map((column) => ({ name: column })),
      { name: "created_at", sort: "DESC" as const },
      { name: "id" },
    ],
    ...(where === undefined ? {} : { where }),
  };
}
