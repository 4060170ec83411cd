import { CONTRACT } from '@svc/sdk/contract';
import { type Filter, type ListDefinition, textThat } from '../../list/definition.ts';
import { timeFilter } from '../../resources/filters.ts';
import { TEST_EVENT_TYPE } from '../../webhooks/test-event.ts';

const TYPES: readonly string[] = [...CONTRACT.changes.fields.type.values, TEST_EVENT_TYPE];
const STATES: readonly string[] = ['delivered', 'pending', 'failed'];

/** The filters of a request. A range of time includes `from` and excludes `to`, as in the audit log. */
export const DELIVERY_FILTERS: Readonly<Record<string, Filter>> = {
  state: {
    column: 'state',
    parse: textThat((text) => STATES.includes(text)),
    allowed: `one of ${STATES.join(', ')}`,
  },
  type: {
    column: 'type',
    parse: textThat((text) => TYPES.includes(text)),
    allowed: `one of ${TYPES.join(', ')}`,
  },
  from: timeFilter('>=', 'created_at'),
  to: timeFilter('<', 'created_at'),
};

/** The deliveries of one endpoint, the newest event first. The route gives `endpoint`. */
export const deliveryList: ListDefinition = {
  name: 'webhook-deliveries',
  relation: 'webhook_delivery_records',
  companyColumn: null,
  indexed: ['endpoint_id', 'state'],
  shortKeys: false,
  sorts: { created: { column: 'created_at', type: 'timestamptz' } },
  sortable: false,
  filters: {
    endpoint: { column: 'endpoint_id', parse: (text) => text, allowed: 'the id of an endpoint' },
    ...DELIVERY_FILTERS,
  },
  total: false,
};
