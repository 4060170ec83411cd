import type { WebhookEndpoint } from '@svc/service/webhooks/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Webhook } from 'lucide-react';
import type { ReactNode } from 'react';
import { useCompanyNames } from '../../api/company-names.ts';
import { webhooksQuery } from '../../api/webhooks.ts';
import { counted } from '../../format/plural.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../../ui/table.tsx';
import { GuideLink } from './guide-link.tsx';
import { EndpointState } from './state.tsx';

export interface WebhookListProps {
  readonly workspaceId: string;
  readonly createButton: ReactNode;
}

export function WebhookList({ workspaceId, createButton }: WebhookListProps) {
  const { data, error, refetch } = useQuery(webhooksQuery(workspaceId));
  const endpoints = data?.data ?? [];
  const nameOf = useCompanyNames(
    workspaceId,
    endpoints.map(({ companyId }) => companyId),
  );
  if (data === undefined) {
    if (error === null) return <SkeletonRows />;
    return (
      <FailureState
        error={error}
        retry={() => void refetch()}
        title="The webhook endpoints could not be loaded"
      />
    );
  }
  if (endpoints.length === 0) return <NoWebhooks createButton={createButton} />;
  return (
    <Table label="Webhook endpoints">
      <TableHead>
        <tr>
          <HeadCell>Endpoint</HeadCell>
          <HeadCell className="hidden md:table-cell">State</HeadCell>
          <HeadCell className="hidden lg:table-cell">Events</HeadCell>
          <HeadCell className="hidden lg:table-cell">Companies</HeadCell>
          <HeadCell className="hidden xl:table-cell">Order</HeadCell>
        </tr>
      </TableHead>
      <TableBody>
        {endpoints.map((endpoint) => (
          <EndpointRow
            key={endpoint.id}
            workspaceId={workspaceId}
            endpoint={endpoint}
            company={endpoint.companyId === null ? 'All' : nameOf(endpoint.companyId)}
          />
        ))}
      </TableBody>
    </Table>
  );
}

interface EndpointRowProps {
  readonly workspaceId: string;
  readonly endpoint: WebhookEndpoint;
  readonly company: string;
}

const EndpointRow = ({ workspaceId, endpoint, company }: EndpointRowProps) => {
  const { id, url, description, types, ordered } = endpoint;
  return (
    <Row>
      <Cell className="max-w-0 min-w-48 py-2.5 md:w-2/5">
        <Link
          to="/w/$workspaceId/webhooks/$endpointId"
          params={{ workspaceId, endpointId: id }}
          title={url}
          className="block truncate font-medium hover:underline"
        >
          {url}
        </Link>
        {description === '' ? null : (
          <div className="truncate text-sm text-soft" title={description}>
            {description}
          </div>
        )}
        <div className="mt-1 md:hidden">
          <EndpointState endpoint={endpoint} />
        </div>
      </Cell>
      <Cell className="hidden max-w-64 md:table-cell">
        <EndpointState endpoint={endpoint} />
      </Cell>
      <Cell className="hidden whitespace-nowrap lg:table-cell" title={types?.join('\n')}>
        {types === null ? 'All' : types.length === 1 ? types[0] : counted(types.length, ['type', 'types'])}
      </Cell>
      <Cell className="hidden max-w-40 truncate lg:table-cell" title={company}>
        {company}
      </Cell>
      <Cell className="hidden xl:table-cell">{ordered ? 'Ordered' : 'Unordered'}</Cell>
    </Row>
  );
};

const NoWebhooks = ({ createButton }: Pick<WebhookListProps, 'createButton'>) => (
  <EmptyState icon={Webhook} title="No webhooks yet" actions={createButton}>
    <p>
      A webhook tells your program when something happens: the service sends each event, signed, to an address
      that you choose. A delivery that fails is sent again for about three days.
    </p>
    <p className="mt-2">
      <GuideLink>How webhooks work</GuideLink>
    </p>
  </EmptyState>
);
