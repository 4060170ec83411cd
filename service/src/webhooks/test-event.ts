import { TEST_EVENT, type Wire, WORKSPACE_EVENT_RESOURCE } from '@svc/sdk/contract';

/** An event that a person has sent to one endpoint, to try it. It is not in the feed. */

export const TEST_EVENT_TYPE = TEST_EVENT.type;

const MESSAGE = TEST_EVENT.fields.message.example;

interface TestEvent {
  /** `evt_…` */
  readonly id: string;
  readonly endpointId: string;
  readonly createdAt: string;
}

/** The body of a test event, in the form of the others. The same event gives the same bytes. */
export function testBody({ id, endpointId, createdAt }: TestEvent): Buffer {
  const data = {
    id,
    type: TEST_EVENT_TYPE,
    resource: WORKSPACE_EVENT_RESOURCE,
    recordId: endpointId,
    companyId: null,
    createdAt,
    record: { id: endpointId, message: MESSAGE } satisfies Wire<typeof TEST_EVENT>,
  };
  return Buffer.from(JSON.stringify({ type: TEST_EVENT_TYPE, timestamp: createdAt, data }));
}
