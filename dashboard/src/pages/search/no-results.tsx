import { Search } from 'lucide-react';
import { EmptyState } from '../../ui/empty-state.tsx';

export const NoResults = () => (
  <EmptyState icon={Search} title="No results">
    Check the spelling, or search for a part of the name, title, URL or ID.
  </EmptyState>
);
