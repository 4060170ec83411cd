import { PAGE_LIMIT_MAX } from '@svc/sdk/contract';
import { read } from '../bench.ts';
import { ratios } from '../measure/rounds.ts';
import type { Workspace } from '../target/workspaces.ts';
import { measureRequests } from './pair.ts';
import type { Scenario } from './scenario.ts';

const DEEP_AUDITS = 80_000;
const LATENCY_MAX = 1.15;
/** Which of the small workspaces are measured, sorted by size: the smallest, and two larger ones. */
const SMALL_RANKS = [0, 0.3, 0.8];

/** The first pages of workspaces of different size, and a deep page. */
export const sizes: Scenario = async (context) => {
  const { workspaces, service } = context.target;
  const [largest, large, ...others] = workspaces;
  if (largest === undefined || large === undefined) throw new Error('At least 2 workspaces are needed.');
  const bySize = others.sort((a, b) => a.audits - b.audits);
  const small = SMALL_RANKS.flatMap((rank) => bySize[Math.floor(rank * (bySize.length - 1))] ?? []);
  const measured = new Set([...small, large, largest]);
  const nameOf = ({ audits }: Workspace): string => `first page of ${audits}`;
  const deepAudits = Math.min(DEEP_AUDITS, large.audits * 0.8);
  const deep = `page ${deepAudits} deep of ${large.audits}`;
  const series = await measureRequests(
    context,
    {
      ...Object.fromEntries(
        [...measured].map((workspace) => [nameOf(workspace), read('/v1/audits', workspace)]),
      ),
      [deep]: read(`/v1/audits?cursor=${await cursorAt(service.origin, large, deepAudits)}`, large),
    },
    Object.fromEntries([...measured].map((workspace) => [nameOf(workspace), { audits: workspace.audits }])),
  );
  for (const name of [deep, nameOf(largest)])
    context.report.verdict(
      `latency of the ${name}, against the ${nameOf(large)}`,
      ratios(series[name] ?? [], series[nameOf(large)] ?? [], 'p50Ms'),
      { most: LATENCY_MAX },
    );
};

/** Walks to the page that begins after so many audits. */
async function cursorAt(origin: string, { token }: Workspace, skipped: number): Promise<string> {
  const limit = Math.min(PAGE_LIMIT_MAX, skipped);
  let cursor = '';
  for (let seen = 0; seen < skipped; seen += limit) {
    const url = `${origin}/v1/audits?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const page = (await response.json()) as { readonly pagination: { readonly nextCursor: string } };
    cursor = page.pagination.nextCursor;
  }
  return cursor;
}
