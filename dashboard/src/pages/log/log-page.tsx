import { ScrollText } from 'lucide-react';
import { Page } from '../../layout/page.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

export const LogPage = () => (
  <Page title="Audit log">
    <Card>
      <EmptyState icon={ScrollText} title="Audit log" />
    </Card>
  </Page>
);
