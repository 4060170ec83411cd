import { Database } from 'lucide-react';
import { Page } from '../../layout/page.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

export const RecordPage = () => (
  <Page title="Record">
    <Card>
      <EmptyState icon={Database} title="Record" />
    </Card>
  </Page>
);
