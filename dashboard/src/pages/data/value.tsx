import { CONTRACT } from '@svc/sdk/contract';
import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { formatNumber } from '../../format/number.ts';
import { When, type WhenProps } from '../../format/when.tsx';
import { toneOf, valueLabel } from '../../resources/labels.ts';
import { type Field, isUrl } from '../../resources/resources.ts';
import { Badge } from '../../ui/badge.tsx';

export interface ValueProps {
  readonly workspaceId: string;
  /** Name of the field. */
  readonly name: string;
  readonly field: Field;
  readonly value: string | number | null | undefined;
  readonly companyName: (id: string) => string;
  /** Format of times. Default: relative. */
  readonly time?: WhenProps['form'];
}

/** The value of a field. */
export function Value({ workspaceId, name, field, value, companyName, time = 'relative' }: ValueProps) {
  const { kind } = field;
  if (value === null || value === undefined) return <span className="text-soft">None</span>;
  const text = String(value);
  if (kind === 'time') return <When at={text} form={time} />;
  // The only integer field with a known scale: 0 is bad, 100 is good.
  if (name === 'headlineScore') return <Score score={Number(value)} />;
  if (kind === 'integer') return <span className="tabular-nums">{formatNumber(Number(value))}</span>;
  if (kind === 'choice') return <Badge tone={toneOf(text)}>{valueLabel(text)}</Badge>;
  if (name === 'companyId') {
    return (
      <Link
        to="/w/$workspaceId/data/$resource/$recordId"
        params={{ workspaceId, resource: CONTRACT.companies.name, recordId: text }}
        className="inline-block max-w-full truncate py-1 align-middle hover:underline"
      >
        <bdi>{companyName(text)}</bdi>
      </Link>
    );
  }
  if (isUrl(field)) {
    return (
      <a href={text} target="_blank" rel="noreferrer" className="text-accent hover:underline">
        <bdi>{text}</bdi>
        <ExternalLink size={12} aria-label="opens in a new tab" className="ms-1 inline" />
      </a>
    );
  }
  return name === 'id' ? <code className="text-soft">{text}</code> : <bdi>{text}</bdi>;
}

const GOOD_SCORE = 70;
const FAIR_SCORE = 40;
const barOf = (score: number): string =>
  score >= GOOD_SCORE ? 'bg-good' : score >= FAIR_SCORE ? 'bg-warn' : 'bg-bad';

/** A score from 0 to 100, as a number and a bar. */
export const Score = ({ score }: { readonly score: number }) => (
  <span className="flex items-center gap-2.5">
    <span className="w-7 text-end font-medium tabular-nums">{score}</span>
    <span aria-hidden className="h-1.5 w-20 overflow-hidden rounded-full bg-line">
      <span className={`block h-full rounded-full ${barOf(score)}`} style={{ width: `${score}%` }} />
    </span>
  </span>
);
