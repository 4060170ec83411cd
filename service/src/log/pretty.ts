import { styleText } from 'node:util';
import { terminalLine, terminalText } from './terminal-text.ts';

/** Log lines for people at a terminal. Other outputs get the JSON line. */

const LEVELS: Readonly<Record<number, string>> = {
  20: 'debug',
  30: '',
  40: styleText('yellow', 'warning'),
  50: styleText('red', 'error'),
  60: styleText('red', 'fatal'),
};
const LEVEL_DEBUG = 20;
/** Lines of this level show no fields: their message says everything. */
const LEVEL_INFO = 30;
/** Fields that are shown only at level debug. */
const DULL = new Set(['level', 'time', 'process', 'pid', 'hostname', 'msg', 'err', 'ms']);

/** `12:30:05 warning message name=value`, with the stack of an error when debugging. */
export function prettyLine(line: string, showStacks: boolean): string {
  const { time, level, msg, err, ...fields } = JSON.parse(line) as {
    readonly time: number;
    readonly level: number;
    readonly msg?: string;
    readonly err?: { readonly message?: string; readonly stack?: string };
  };
  const extra = Object.entries(fields)
    .filter(([name]) => level !== LEVEL_INFO && (!DULL.has(name) || level <= LEVEL_DEBUG))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const parts = [
    styleText('dim', new Date(time).toTimeString().slice(0, 8)),
    LEVELS[level] ?? '',
    terminalLine(msg ?? ''),
    err === undefined ? '' : terminalLine(`(${err.message})`),
    styleText('dim', terminalLine(extra.join(' '))),
  ];
  const text = parts.filter((part) => part !== '').join(' ');
  return showStacks && err?.stack !== undefined ? `${text}\n${terminalText(err.stack)}\n` : `${text}\n`;
}
