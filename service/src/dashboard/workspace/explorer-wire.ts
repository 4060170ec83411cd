/** `POST /workspaces/{id}/explorer`: the response to a request below /v1. */
export interface ExplorerAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}
