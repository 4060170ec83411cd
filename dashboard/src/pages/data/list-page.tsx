import { Database } from 'lucide-react';
import { Page } from '../../layout/page.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

export const ListPage = () => (
  <Page title="Records">
    <Card>
      <EmptyState icon={Database} title="Records" />
    </Card>
  </Page>
);
