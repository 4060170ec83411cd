import { Search } from 'lucide-react';
import { EmptyState } from '../../ui/empty-state.tsx';

export const NoResults = () => (
  <EmptyState icon={Search} title="No results">
    Check the spelling, or search for the begin of a word of the name, title or host, for a URL or an ID.
  </EmptyState>
);
