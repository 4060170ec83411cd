import { LogIn } from 'lucide-react';
import { Page } from '../../layout/page.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

export const SignInPage = () => (
  <Page title="Sign in">
    <Card>
      <EmptyState icon={LogIn} title="Sign in" />
    </Card>
  </Page>
);
