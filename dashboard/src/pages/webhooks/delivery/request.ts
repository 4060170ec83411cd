/** The JSON text, indented. Other text stays as it is. */
export function formatJson(text: string): string {
  const value = parsed(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}

export interface RecordOfRequest {
  readonly resource: string;
  readonly recordId: string;
}

/** The record that the event of a request body is about; undefined if the text does not name one. */
export function recordOf(text: string): RecordOfRequest | undefined {
  const { data } = (parsed(text) ?? {}) as { readonly data?: Partial<RecordOfRequest> };
  const { resource, recordId } = data ?? {};
  return typeof resource === 'string' && typeof recordId === 'string' ? { resource, recordId } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
