import type { ResourceShape } from '@svc/service/dashboard/wire-data';
import { Database } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

export interface NoRecordsProps {
  readonly shape: ResourceShape;
  readonly filtered: boolean;
  readonly onClear: () => void;
  /** Absent: this person may not. */
  readonly onImport?: () => void;
}

export const NoRecords = ({ shape: { name }, filtered, onClear, onImport }: NoRecordsProps) => (
  <EmptyState
    icon={Database}
    title={filtered ? `No ${name} meet these filters` : `There are no ${name} yet`}
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
      'Choose another company or status.'
    ) : (
      <>
        Import them from a file, or write them with a live key that may write, by <code>POST /v1/{name}</code>
        .
      </>
    )}
  </EmptyState>
);
