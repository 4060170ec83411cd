import { capitalized, SEARCH_MAX_CHARACTERS } from '@svc/sdk/contract';
import { getRouteApi } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { Page } from '../../layout/page.tsx';
import { TextFilter } from '../../list/text-filter.tsx';
import { findResource, SEARCHED_RESOURCES } from '../../resources/resources.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Segments } from '../../ui/segments.tsx';
import { BestResults } from './best-results.tsx';
import { KindResults } from './kind-results.tsx';

const route = getRouteApi('/signed-in/w/$workspaceId/search');

const BEST = 'best';
const KINDS = [
  { value: BEST, label: 'Best results' },
  ...SEARCHED_RESOURCES.map(({ name, plural }) => ({ value: name, label: capitalized(plural) })),
];

/** The results of a search: the best of all kinds, or all records of one kind. */
export function SearchPage() {
  const { workspaceId } = route.useParams();
  const { q, in: name } = route.useSearch();
  const navigate = route.useNavigate();
  const resource = name === undefined ? undefined : findResource(name);
  return (
    <Page title={q === undefined ? 'Search' : `Results for “${q}”`}>
      <search className="flex flex-wrap items-center gap-3">
        <TextFilter
          label="Search"
          type="search"
          placeholder="Names, titles, URLs and IDs"
          value={q}
          maxLength={SEARCH_MAX_CHARACTERS}
          className="w-full sm:w-80"
          onFilter={(next, replace) => void navigate({ search: { q: next, in: name }, replace })}
        />
        <div className="max-w-full overflow-x-auto">
          <Segments
            label="Kind"
            value={name ?? BEST}
            onChange={(kind) => void navigate({ search: { q, in: kind === BEST ? undefined : kind } })}
            options={KINDS}
          />
        </div>
      </search>
      <Card className="overflow-hidden">
        {q === undefined ? (
          <EmptyState icon={Search} title="Nothing to search for yet">
            Type words of a name or title, a URL or an ID.
          </EmptyState>
        ) : resource === undefined ? (
          <BestResults key={q} workspaceId={workspaceId} text={q} />
        ) : (
          <KindResults key={`${q} ${resource.name}`} workspaceId={workspaceId} resource={resource} text={q} />
        )}
      </Card>
    </Page>
  );
}
