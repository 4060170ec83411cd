import { type History, idsOfWrite, outcomeOf, type Write } from '../history.ts';
import { finalOf, some } from './sequence.ts';

const creates = (history: History, workspaceId: string): readonly Write[] =>
  history.writes.filter((write) => write.kind === 'create' && write.workspaceId === workspaceId);

/** Acknowledged creates exist once, refused ones and dry runs do not exist, a batch exists completely or not at all. */
export function checkCreates(history: History): readonly string[] {
  return history.final.flatMap(({ workspaceId, audits, content }) => {
    const present = new Set([...audits, ...content].map(({ id }) => id));
    const deleted = new Set(
      history.writes
        .filter(({ kind, dryRun }) => kind === 'delete' && !dryRun)
        .flatMap((write) => (outcomeOf(write) === 'refused' ? [] : write.ids)),
    );
    const violations: string[] = [];
    const explained = new Set<string>();
    let unnamed = 0;
    for (const write of creates(history, workspaceId)) {
      const outcome = write.dryRun ? 'refused' : outcomeOf(write);
      const ids = outcome === 'acknowledged' ? idsOfWrite(write) : write.ids;
      const there = ids.filter((id) => present.has(id));
      const missing = ids.filter((id) => !present.has(id) && !deleted.has(id));
      if (outcome === 'refused') {
        if (there.length > 0) violations.push(`refused or dry-run records exist: ${some(there)}`);
        continue;
      }
      if (outcome === 'acknowledged' && missing.length > 0) {
        violations.push(`acknowledged records are missing: ${some(missing)}`);
      }
      if (outcome === 'unknown' && there.length > 0 && missing.length > 0) {
        violations.push(`a batch is there in part: ${some(missing)} are missing`);
      }
      if (outcome === 'unknown' && write.ids.length === 0) unnamed += write.records;
      const twice = ids.filter((id) => explained.has(id));
      if (twice.length > 0) violations.push(`two writes were answered with the same ids: ${some(twice)}`);
      for (const id of ids) explained.add(id);
    }
    const unexplained = [...present].filter((id) => !explained.has(id));
    if (unexplained.length > unnamed) {
      violations.push(`records that no write explains: ${some(unexplained)} (at most ${unnamed} expected)`);
    }
    return violations;
  });
}

/**
 * A deleted item does not exist. Any other item has the title of its last acknowledged write, or of a later write whose
 * outcome is unknown. One client writes an item, one write after the other.
 */
export function checkContent(history: History): readonly string[] {
  return history.final.flatMap(({ workspaceId, content }) => {
    const possible = new Map<string, ReadonlySet<string>>();
    const deleted = new Set<string>();
    for (const write of history.writes) {
      const [id] = write.ids;
      const outcome = outcomeOf(write);
      if (write.workspaceId !== workspaceId || write.resource !== 'content' || write.dryRun) continue;
      if (id === undefined || outcome === 'refused') continue;
      if (write.kind === 'delete' && outcome === 'acknowledged') deleted.add(id);
      if (write.title === undefined) continue;
      const before = outcome === 'unknown' ? (possible.get(id) ?? []) : [];
      possible.set(id, new Set([...before, write.title]));
    }
    return content.flatMap(({ id, title }) => {
      if (deleted.has(id)) return [`${id} was deleted and is there`];
      const titles = possible.get(id);
      if (titles === undefined || titles.has(title)) return [];
      return [`${id} has the title "${title}" instead of ${[...titles].join(' or ')}`];
    });
  });
}

/** A reader that follows a list sees every item once, in the order of the list. */
export function checkTails(history: History): readonly string[] {
  return history.tails.flatMap(({ workspaceId, list, ids }) => {
    const final = finalOf(history, workspaceId);
    const wanted = (list === 'audits' ? final.audits : final.log).map(({ id }) => id);
    // The requests of the reader create entries too, so it stops before the end of the log.
    const expected = list === 'audits' ? wanted : wanted.slice(0, ids.length);
    const at = expected.findIndex((id, index) => ids[index] !== id);
    const seen = new Set(ids);
    const violations: string[] = [];
    if (seen.size < ids.length) violations.push(`a tail of ${list} repeats ${ids.length - seen.size} items`);
    const skipped = expected.filter((id) => !seen.has(id));
    if (skipped.length > 0) violations.push(`a tail of ${list} skips ${some(skipped)}`);
    else if (at !== -1) violations.push(`a tail of ${list} is out of order at ${expected[at]}`);
    if (list === 'audits' && ids.length > wanted.length)
      violations.push('a tail meets records that are not there');
    return violations;
  });
}

/** A reader of a whole list sees no item twice, and every item that was acknowledged before it began. */
export function checkWalks(history: History): readonly string[] {
  return history.walks.flatMap(({ workspaceId, startMs, ids }) => {
    const seen = new Set(ids);
    const violations: string[] = [];
    if (seen.size < ids.length) violations.push(`a walk repeats ${ids.length - seen.size} records`);
    const before = creates(history, workspaceId).filter(
      (write) => write.resource === 'audits' && !write.dryRun && acknowledgedBefore(write, startMs),
    );
    const skipped = before.flatMap(idsOfWrite).filter((id) => !seen.has(id));
    if (skipped.length > 0) violations.push(`a walk skips ${some(skipped)}`);
    return violations;
  });
}

const acknowledgedBefore = ({ attempts }: Write, ms: number): boolean =>
  attempts.some(({ status, endMs }) => status !== undefined && status < 300 && endMs < ms);

/** A count is between the creates acknowledged before it and those begun before its response. In the end it is exact. */
export function checkCounts(history: History): readonly string[] {
  const violations: string[] = [];
  for (const { workspaceId, startMs, endMs, count } of history.counts) {
    const writes = creates(history, workspaceId).filter(
      (write) => write.resource === 'audits' && !write.dryRun && outcomeOf(write) !== 'refused',
    );
    const least = sumOf(writes.filter((write) => acknowledgedBefore(write, startMs)));
    const most = sumOf(writes.filter(({ attempts }) => attempts.some((each) => each.startMs < endMs)));
    if (count < least || count > most) violations.push(`a count said ${count}, not ${least} to ${most}`);
  }
  for (const { workspaceId, audits, counted, exactCount } of history.final) {
    if (counted === audits.length && exactCount === audits.length) continue;
    violations.push(
      `${workspaceId} has ${audits.length} audits; its counter says ${counted}, the exact count ${exactCount}`,
    );
  }
  return violations;
}

const sumOf = (writes: readonly Write[]): number => writes.reduce((sum, { records }) => sum + records, 0);
