import { LogIn } from 'lucide-react';
import { Page } from '../../layout/page.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

export const InvitationPage = () => (
  <Page title="Invitation">
    <Card>
      <EmptyState icon={LogIn} title="Invitation" />
    </Card>
  </Page>
);
