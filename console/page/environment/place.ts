/** An environment as calls name it. */
export interface Place {
  readonly orgId: string;
  readonly projectId: string;
  readonly envName: string;
}
