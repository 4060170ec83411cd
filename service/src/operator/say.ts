/** Words for people, on standard error: standard output is for logs and results. */
export const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
