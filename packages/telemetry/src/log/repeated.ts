import type { LogFn, Logger } from 'pino';

/** How long the same warning is only counted. */
const WINDOW_MS = 60_000;
/** The most warnings that are told apart by their error. Further ones are told apart only by their text. */
const ERRORS_MAX = 100;

type Hook = (this: Logger, args: Parameters<LogFn>, method: LogFn, level: number) => void;

/**
 * A hook of pino. While something is away, each request logs the same warning with an error. The first one is logged at
 * once, the others are counted, and a line per minute says how many there were. At level debug, all are logged.
 */
export function countRepeated(): Hook {
  const counts = new Map<string, number>();

  return function logMethod(args, method, level) {
    const [fields, text] = args as readonly unknown[];
    const { err } = Object(fields) as { readonly err?: unknown };
    const isWarning = level === this.levels.values['warn'];
    if (!isWarning || !(err instanceof Error) || typeof text !== 'string' || this.isLevelEnabled('debug')) {
      return method.apply(this, args);
    }
    const exact = `${text} ${err.name} ${err.message}`;
    const kind = counts.has(exact) || counts.size < ERRORS_MAX ? exact : text;
    const count = counts.get(kind);
    if (count !== undefined) {
      counts.set(kind, count + 1);
      return;
    }
    method.apply(this, args);
    const sumUp = (): void => {
      const repeats = counts.get(kind);
      counts.delete(kind);
      if (!repeats) return;
      method.call(this, { reason: err.message, repeats }, `${text} (repeated within a minute)`);
      watch();
    };
    const watch = (): void => {
      counts.set(kind, 0);
      setTimeout(sumUp, WINDOW_MS).unref();
    };
    watch();
  };
}
