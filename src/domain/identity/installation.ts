/** What people need to know of a control plane before they sign in. */
export interface Installation {
  readonly version: string;
  /** Whether strangers may register. */
  readonly isRegistrationOpen: boolean;
  readonly isMailConfigured: boolean;
  /** The address of a runtime, for commands that people copy; undefined when the operator has named none. */
  readonly runtimeUrl: string | undefined;
}
