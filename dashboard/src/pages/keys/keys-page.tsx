import { KeyRound } from 'lucide-react';
import { Page } from '../../layout/page.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

export const KeysPage = () => (
  <Page title="API keys">
    <Card>
      <EmptyState icon={KeyRound} title="API keys" />
    </Card>
  </Page>
);
