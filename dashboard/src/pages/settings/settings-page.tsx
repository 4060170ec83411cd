import { Settings } from 'lucide-react';
import { Page } from '../../layout/page.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

export const SettingsPage = () => (
  <Page title="Settings">
    <Card>
      <EmptyState icon={Settings} title="Settings" />
    </Card>
  </Page>
);
