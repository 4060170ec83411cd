import { BASE_PATH } from '../base.ts';

const TIMEOUT_MS = 5_000;

/** Whether the service serves the files of the dashboard. */
export const serviceAnswers = (): Promise<boolean> =>
  fetch(`${BASE_PATH}favicon.svg`, {
    method: 'HEAD',
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).then(
    ({ ok }) => ok,
    () => false,
  );
