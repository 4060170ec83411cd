import { ShieldCheck } from 'lucide-react';
import { Page } from '../../layout/page.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

export const AccountPage = () => (
  <Page title="Account">
    <Card>
      <EmptyState icon={ShieldCheck} title="Account" />
    </Card>
  </Page>
);
