import type { Time } from '@svc/sdk';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback } from 'react';
import type { LogSearch } from '../log/log-search.ts';
import { logOfSpan, type Step } from './log-link.ts';

export interface LogLinkProps {
  readonly workspaceId: string;
  readonly search: LogSearch;
  /** What the link shows, if its text does not say it. */
  readonly hint?: string;
  readonly className: string;
  readonly children: ReactNode;
}

/** Links a figure, or a cell of a table, to its requests in the log. */
export const LogLink = ({ workspaceId, search, hint, className, children }: LogLinkProps) => (
  <Link to="/w/$workspaceId/log" params={{ workspaceId }} search={search} className={className} title={hint}>
    {children}
    {hint === undefined ? null : <span className="sr-only">. {hint}</span>}
  </Link>
);

export interface Bars {
  readonly step: Step;
  readonly spans: readonly { readonly at: Time }[];
  /** The index of the bar of failed requests. */
  readonly failedBar: number;
  /** Only the requests of this key. Default: all. */
  readonly key?: string;
}

/** Opens the requests of a bar in the log. */
export function useOpenBar(workspaceId: string, { step, spans, failedBar, key }: Bars) {
  const navigate = useNavigate();
  return useCallback(
    (i: number, bar: number): void => {
      const at = spans[i]?.at;
      if (at === undefined) return;
      const search = { ...logOfSpan(step, at, bar === failedBar), key };
      void navigate({ to: '/w/$workspaceId/log', params: { workspaceId }, search });
    },
    [navigate, workspaceId, step, spans, failedBar, key],
  );
}
