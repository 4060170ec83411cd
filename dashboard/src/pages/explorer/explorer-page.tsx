import { SquareTerminal } from 'lucide-react';
import { Page } from '../../layout/page.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

export const ExplorerPage = () => (
  <Page title="Explorer">
    <Card>
      <EmptyState icon={SquareTerminal} title="Explorer" />
    </Card>
  </Page>
);
