/** The facts that the first start wrote. */
export interface Facts {
  readonly base_url: string;
  readonly runtime_url: string;
  readonly org_id: string;
  readonly project_id: string;
  readonly environment: string;
  readonly admin_token: string;
  readonly ci_token: string;
  readonly runtime_token: string;
}
