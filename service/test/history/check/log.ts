import { type Attempt, type FinalWorkspace, type History, isRefusal, isSuccess } from '../history.ts';

const UNAUTHORIZED = 401;
const TOO_MANY_REQUESTS = 429;

/** The request entries of a workspace by request id. */
function entriesOf({ log }: FinalWorkspace): ReadonlyMap<string, readonly (number | null)[]> {
  const entries = new Map<string, (number | null)[]>();
  for (const { kind, requestId, status } of log) {
    if (kind !== 'api.request' || requestId === null) continue;
    entries.set(requestId, [...(entries.get(requestId) ?? []), status]);
  }
  return entries;
}

/**
 * Every request of a live key with a response has exactly one entry, with its status; a 401 and a request of a test key have
 * none; a request without a response, or with a 503, has at most one. Every entry belongs to a request that was sent.
 */
export function checkEntries(history: History): readonly string[] {
  return history.final.flatMap((final) => {
    const entries = entriesOf(final);
    const violations: string[] = [];
    const attempts = history.attempts.filter(({ workspaceId }) => workspaceId === final.workspaceId);
    for (const { requestId, status, live } of attempts) {
      const found = entries.get(requestId) ?? [];
      const answered = isSuccess(status) || isRefusal(status);
      const expected = live && answered && status !== UNAUTHORIZED ? 1 : 0;
      const most = live && status !== UNAUTHORIZED ? 1 : 0;
      if (found.length < expected) violations.push(`${requestId} was answered ${status} and has no entry`);
      if (found.length > most) violations.push(`${requestId} (${status}) has ${found.length} entries`);
      if (expected === 1 && found.length === 1 && found[0] !== status) {
        violations.push(`${requestId} was answered ${status}, its entry says ${found[0]}`);
      }
    }
    const made = new Set(attempts.map(({ requestId }) => requestId));
    for (const requestId of entries.keys()) {
      if (!made.has(requestId)) violations.push(`nobody made the request ${requestId} of an entry`);
    }
    return violations;
  });
}

/** No request is accepted that begins after the end of its token was confirmed. */
export function checkKeys(history: History): readonly string[] {
  const ended = new Map(history.endedTokens.map(({ token, confirmedMs }) => [token, confirmedMs]));
  const letIn = ({ token, startMs, status }: Attempt): boolean => {
    const confirmedMs = ended.get(token);
    if (confirmedMs === undefined || startMs <= confirmedMs || status === UNAUTHORIZED) return false;
    return isSuccess(status) || isRefusal(status);
  };
  return history.attempts
    .filter(letIn)
    .map(({ token, requestId, status }) => `${token} was let in after its end: ${requestId}, ${status}`);
}

/** The changes of a stream that one unit of quota pays for. The first unit is the request. */
const CHANGES_PER_UNIT = 100;
/** What a stream may have paid for without the knowledge of its reader: changes that were lost on the way, and a repeat. */
const UNKNOWN_UNITS_MAX = 2;

/** How many units the streams of a workspace have used besides their requests, at least and at most. */
function streamUnits({ streams }: History, workspaceId: string): readonly [least: number, most: number] {
  const connections = streams
    .filter((each) => each.workspaceId === workspaceId)
    .flatMap((each) => each.connections);
  let [least, most] = [0, 0];
  for (const { ids, end } of connections) {
    const units = Math.max(0, Math.ceil(ids.length / CHANGES_PER_UNIT) - 1);
    least += units;
    most += units + (end === 'broken' ? UNKNOWN_UNITS_MAX : 0);
  }
  return [least, most];
}

/**
 * The meter counts each entry except refusals because of the quota, and the changes of streams, and never more than the
 * quota. A request is refused because of the quota only if the whole quota is used in the end.
 */
export function checkQuota(history: History): readonly string[] {
  return history.final.flatMap((final) => {
    const { workspaceId, log, liveQuota, liveRequests } = final;
    const counted = log.filter(({ kind, status }) => kind === 'api.request' && status !== TOO_MANY_REQUESTS);
    const violations: string[] = [];
    const [least, most] = streamUnits(history, workspaceId);
    const streamed = liveRequests - counted.length;
    if (streamed < least || streamed > most) {
      violations.push(
        `${workspaceId} has ${counted.length} counted entries and ${least} to ${most} units of streams; ` +
          `its meter says ${liveRequests}`,
      );
    }
    const refused = history.attempts.some(
      (attempt) => attempt.workspaceId === workspaceId && attempt.status === TOO_MANY_REQUESTS,
    );
    if (liveQuota !== null && counted.length > liveQuota) {
      violations.push(`${workspaceId} used ${counted.length} of a quota of ${liveQuota}`);
    }
    if (refused && counted.length !== liveQuota) {
      violations.push(`${workspaceId} was refused at ${counted.length} of a quota of ${liveQuota}`);
    }
    return violations;
  });
}
