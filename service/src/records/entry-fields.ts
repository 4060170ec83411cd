import type { Resource } from '../resources/define.ts';

/** The fields of an audit entry about several records. */
export const aboutRecords = ({ name, singular, plural }: Resource, recordIds: readonly string[]) => ({
  target: { id: name, label: `${recordIds.length} ${recordIds.length === 1 ? singular : plural}` },
  resource: name,
  recordIds,
});
