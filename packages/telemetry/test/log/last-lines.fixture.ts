import { createLog, STANDARD_OUTPUT } from '../../src/log/log.ts';

/** Logs more lines than a pipe holds, then ends by a fatal error (`fatal`) or with `process.exit`. */
// As in the service, where it makes the pipe one that does not block.
process.stdout.on('error', () => undefined);
const log = createLog('info', STANDARD_OUTPUT);
for (let line = 1; line <= 3_000; line++)
  log.info({ line }, 'a line of more than a hundred characters '.repeat(3));
process.stderr.write('all logged');
if (process.argv[2] === 'fatal') log.fatal('the last line');
else log.info('the last line');
process.exit(1);
