import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { deliveriesQuery, type WebhookId } from '../../../api/webhooks.ts';
import { useRefreshedList } from '../../../list/continued-list.ts';
import { useFiltersNow } from '../../../list/filters-now.ts';
import { ListEnd } from '../../../list/list-end.tsx';
import { boundsOf, type Range } from '../../../list/time/time-range.ts';
import { Button } from '../../../ui/button.tsx';
import { Section } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { FailureState } from '../../../ui/failure-state.tsx';
import { focusFirstFilter } from '../../../ui/move-focus.ts';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { DeliveryFilters } from './delivery-filters.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import type { WebhookSearch } from './webhook-search.ts';

const route = getRouteApi('/signed-in/w/$workspaceId/webhooks/$endpointId');
const RANGE_DEFAULT: Range = 'all';
const NO_FILTERS: WebhookSearch = {
  state: undefined,
  type: undefined,
  range: undefined,
  from: undefined,
  to: undefined,
};

/** The deliveries of an endpoint, with filters in the URL. */
export function DeliveriesSection({ id }: { readonly id: WebhookId }) {
  const { state, type, range = RANGE_DEFAULT, from, to } = route.useSearch();
  const navigate = route.useNavigate();
  const nowMs = useFiltersNow(JSON.stringify({ state, type, range, from, to }));
  const filters = { state, type, ...boundsOf({ range, from, to }, nowMs) };
  const query = deliveriesQuery(id, filters);
  const deliveries = useInfiniteQuery(query);
  const list = useRefreshedList(deliveries, query.queryKey);
  const set = (change: WebhookSearch): void =>
    void navigate({ search: (known) => ({ ...known, ...change }), resetScroll: false });
  const clear = (): void => {
    set(NO_FILTERS);
    // The button disappears.
    focusFirstFilter();
  };
  const filtered = state !== undefined || type !== undefined || range !== RANGE_DEFAULT;
  return (
    <Section title="Deliveries" description="The newest event first. They are kept for 30 days." flush>
      <div className="border-b border-line px-4 py-3">
        <DeliveryFilters
          search={{ state, type, range, from, to }}
          onFilter={set}
          {...(filtered ? { onClear: clear } : {})}
        />
      </div>
      {list.items === undefined ? (
        deliveries.error === null ? (
          <SkeletonRows />
        ) : (
          <FailureState
            error={deliveries.error}
            retry={() => void deliveries.refetch()}
            title="The deliveries could not be loaded"
          />
        )
      ) : list.items.length === 0 && !list.more ? (
        <EmptyState
          icon={Send}
          title={filtered ? 'No deliveries match these filters' : 'No deliveries yet'}
          actions={filtered ? <Button onClick={clear}>Clear filters</Button> : undefined}
        >
          {filtered
            ? null
            : 'Each event that is sent to this endpoint appears here. Send a test event to try it.'}
        </EmptyState>
      ) : (
        <>
          {list.items.length === 0 ? null : <DeliveryTable id={id} deliveries={list.items} />}
          <ListEnd key={JSON.stringify(query.queryKey)} list={list} noun={['delivery', 'deliveries']} />
        </>
      )}
    </Section>
  );
}
