import type { Time } from '@svc/sdk';
import type { Traffic } from '@svc/service/dashboard/wire';
import { DAY_MS, HOUR_MS } from '../../format/ms.ts';
import { boundAt } from '../../list/time/time-range.ts';
import type { LogSearch } from '../log/log-search.ts';

export type Step = Traffic['step'];

const STEP_MS: Readonly<Record<Step, number>> = { hour: HOUR_MS, day: DAY_MS };

/** The filters of the log that show the live requests of a span, or only the failed ones. */
export const logOfSpan = (step: Step, at: Time, failed: boolean): LogSearch => ({
  ...logSince(at, failed),
  to: boundAt(new Date(Date.parse(at) + STEP_MS[step]).toISOString()),
});

/** The same for all spans from this one to now. */
export const logSince = (at: Time, failed: boolean): LogSearch => ({
  range: 'custom',
  from: boundAt(at),
  kind: 'api.request',
  status: failed ? 'failed' : undefined,
});
