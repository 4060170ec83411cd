import type { AnyAuditLogEntry, Time } from '@svc/sdk';
import { Link } from '@tanstack/react-router';
import { formatNumber } from '../../../format/number.ts';
import { When } from '../../../format/when.tsx';
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../../../ui/table.tsx';

export interface AddressTableProps {
  readonly workspaceId: string;
  readonly keyId: string;
  /** Newest first. */
  readonly entries: readonly AnyAuditLogEntry[];
}

/** The addresses of the clients of these requests, with links to the log. The address that was used last is first. */
export const AddressTable = ({ workspaceId, keyId, entries }: AddressTableProps) => (
  <Table label="Addresses of clients">
    <TableHead>
      <tr>
        <HeadCell>IP address</HeadCell>
        <HeadCell className="!text-end">Requests</HeadCell>
        <HeadCell>Last request</HeadCell>
      </tr>
    </TableHead>
    <TableBody>
      {addressesOf(entries).map(({ ip, requests, lastAt }) => (
        <Row key={ip}>
          <Cell className="max-w-0 min-w-36 wrap-anywhere tabular-nums">
            <Link
              to="/w/$workspaceId/log"
              params={{ workspaceId }}
              search={{ key: keyId, address: ip, range: 'all' }}
              className="rounded text-accent hover:underline"
            >
              {ip}
            </Link>
          </Cell>
          <Cell className="w-24 !text-end tabular-nums">{formatNumber(requests)}</Cell>
          <Cell className="w-44 text-soft">
            <When at={lastAt} />
          </Cell>
        </Row>
      ))}
    </TableBody>
  </Table>
);

interface Address {
  readonly ip: string;
  readonly requests: number;
  readonly lastAt: Time;
}

/** The distinct addresses, in the order of their last request. */
function addressesOf(entries: readonly AnyAuditLogEntry[]): readonly Address[] {
  const byIp = Map.groupBy(
    entries.filter(({ ip }) => ip !== undefined),
    ({ ip }) => ip,
  );
  return [...byIp].map(([ip = '', own]) => ({
    ip,
    requests: own.length,
    lastAt: own[0]?.createdAt ?? '',
  }));
}
