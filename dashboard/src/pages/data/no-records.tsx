import type { ResourceShape } from '@svc/service/dashboard/wire-data';
import { Database } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

export interface NoRecordsProps {
  readonly shape: ResourceShape;
  readonly filtered: boolean;
  readonly onClear: () => void;
  /** Absent if the person may not import. */
  readonly onImport?: () => void;
}

export const NoRecords = ({ shape: { name }, filtered, onClear, onImport }: NoRecordsProps) => (
  <EmptyState
    icon={Database}
    title={filtered ? `No ${name} match these filters` : `No ${name} yet`}
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
    ) : (
      <>
        Import a file, or create records with a live key that can write: <code>POST /v1/{name}</code>
      </>
    )}
  </EmptyState>
);
