import {
  CONTRACT,
  capitalized,
  recordEventTypes,
  WORKSPACE_EVENT_TYPES,
  WORKSPACE_EVENTS,
  type WorkspaceEventType,
} from '@svc/sdk/contract';
import { TEST_EVENT_TYPE } from '@svc/service/webhooks/test-event';
import { DATA_RESOURCES } from '../../resources/resources.ts';

/** The types of events with a common source, such as a resource. */
export interface EventGroup {
  readonly label: string;
  readonly types: readonly string[];
}

export const EVENT_GROUPS: readonly EventGroup[] = [
  ...DATA_RESOURCES.map((resource) => ({
    label: capitalized(resource.plural),
    types: recordEventTypes([resource]),
  })),
  { label: 'Workspace', types: WORKSPACE_EVENT_TYPES },
];

/** All types of events, in the order of the contract. */
export const EVENT_TYPES: readonly string[] = CONTRACT.changes.fields.type.values;

/** The groups of the types that deliveries can have. */
export const DELIVERY_GROUPS: readonly EventGroup[] = [
  ...EVENT_GROUPS,
  { label: 'Tests', types: [TEST_EVENT_TYPE] },
];

const isOfWorkspace = (type: string): type is WorkspaceEventType => Object.hasOwn(WORKSPACE_EVENTS, type);

/** What an event of the workspace means; undefined for other types, whose names say it. */
export const descriptionOf = (type: string): string | undefined =>
  isOfWorkspace(type) ? WORKSPACE_EVENTS[type].description : undefined;
