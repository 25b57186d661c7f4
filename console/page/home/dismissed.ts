// That somebody has put the first steps away: a hint about the page, and none of the organization's data.

const key = "policy-guard.dismissed-steps";
const maxOrganizations = 20;

/** Whether the steps of this organization were put away in this browser. */
export function isDismissed(orgId: string): boolean {
  return dismissed().includes(orgId);
}

/** Puts them away. */
export function dismissSteps(orgId: string): void {
  localStorage.setItem(key, [orgId, ...dismissed().filter((id) => id !== orgId)].slice(0, maxOrganizations).join(" "));
}

function dismissed(): readonly string[] {
  return (localStorage.getItem(key) ?? "").split(" ").filter((id) => id !== "");
}
