import { ChartNoAxesColumn } from 'lucide-react';
import { Page } from '../../layout/page.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

export const OverviewPage = () => (
  <Page title="Overview">
    <Card>
      <EmptyState icon={ChartNoAxesColumn} title="Overview" />
    </Card>
  </Page>
);
