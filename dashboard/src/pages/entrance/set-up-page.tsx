import { LogIn } from 'lucide-react';
import { Page } from '../../layout/page.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

export const SetUpPage = () => (
  <Page title="Set up">
    <Card>
      <EmptyState icon={LogIn} title="Set up" />
    </Card>
  </Page>
);
