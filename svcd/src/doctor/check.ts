/** The result of one check. `remedy` says how to repair the problem; it is absent if the status is `ok`. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly text: string;
  readonly remedy?: string;
}

export const ok = (check: string, text: string): Finding => ({ check, status: 'ok', text });
export const warn = (check: string, text: string, remedy: string): Finding => ({
  check,
  status: 'warn',
  text,
  remedy,
});
export const fail = (check: string, text: string, remedy: string): Finding => ({
  check,
  status: 'fail',
  text,
  remedy,
});
