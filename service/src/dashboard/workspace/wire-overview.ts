import type { ContentStatus, Sentiment, Time } from '@svc/sdk';
import type { Usage } from '../wire.ts';

/** `GET /workspaces/{id}/traffic`. */
export interface Traffic {
  readonly step: 'hour' | 'day';
  /** Oldest first, without gaps: each span of time (UTC) by its begin; the last one still runs. */
  readonly spans: readonly TrafficSpan[];
  readonly total: TrafficFigures;
  /** The time before, as long as the one shown. */
  readonly before: { readonly live: number; readonly test: number; readonly errors: number };
}

export interface TrafficFigures {
  readonly live: number;
  readonly test: number;
  /** How many of both were answered with 4xx or 5xx. */
  readonly errors: number;
  /** Milliseconds that half of the requests, and 95 %, did not exceed; null without requests. */
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface TrafficSpan extends TrafficFigures {
  readonly at: Time;
}

/** `GET /workspaces/{id}/overview`. */
export interface Overview {
  readonly month: Usage['month'] & {
    /** Live requests by the end of the month, if it goes on as in the last seven days. */
    readonly forecast: number;
  };
  /** What a new workspace has done already. */
  readonly begun: { readonly key: boolean; readonly records: boolean; readonly request: boolean };
  /** Records by the name of their resource. */
  readonly counts: Readonly<Record<string, number>>;
  /** Of the newest mentions, at most 1,000. */
  readonly sentiments: Readonly<Record<Sentiment, number>>;
  /** At most 100,000 each. */
  readonly content: Readonly<Record<ContentStatus, number>>;
}
