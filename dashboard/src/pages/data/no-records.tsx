import { Database } from 'lucide-react';
import type { ResourceContract } from '../../resources/resources.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

export interface NoRecordsProps {
  readonly resource: ResourceContract;
  readonly filtered: boolean;
  readonly onClear: () => void;
  /** Absent if the person may not import. */
  readonly onImport?: () => void;
}

export const NoRecords = ({ resource: { name, plural }, filtered, onClear, onImport }: NoRecordsProps) => (
  <EmptyState
    icon={Database}
    title={filtered ? `No ${plural} match these filters` : `No ${plural} yet`}
    actions={
      filtered ? (
        <Button onClick={onClear}>Clear filters</Button>
      ) : onImport === undefined ? undefined : (
        <Button variant="primary" onClick={onImport}>
          Import a file
        </Button>
      )
    }
  >
    {filtered ? (
      'Change or clear the filters.'
    ) : onImport === undefined ? (
      'Owners and admins can create or import them.'
    ) : (
      <>
        Create one here, import a file, or use a live key that can write: <code>POST /v1/{name}</code>
      </>
    )}
  </EmptyState>
);
