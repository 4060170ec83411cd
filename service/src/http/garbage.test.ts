import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { limitConnections } from '@svc/http-content/connections';
import { expect, test } from 'vitest';
import { createTestService } from '../../test/harness/service.ts';

const PATHS = ['/v1/audits', '/v1/audits/count', '/healthz'];
const CONNECTIONS_PER_PATH = 2;
const READS_PER_CONNECTION = 250;
const READS_PER_COLLECTION = 20;
/** Far more than are in progress, and far fewer than all. */
const KEPT_MAX = 200;

setFlagsFromString('--expose-gc');
// As in a worker. What V8 has decided before stays, so this file is in a folder whose tests have processes of their own.
setFlagsFromString('--no-allocation-site-pretenuring');
const collect: NodeJS.GCFunction = runInNewContext('gc');
/** Collects objects that have not survived two collections yet. Older ones stay until V8 collects the whole heap. */
const collectNewObjects = (): void => collect({ type: 'minor', execution: 'sync' });

// A Map or Set that changes with each request would keep them: V8 replaces its table again and again, and a table that was
// replaced keeps the entries that it still had, and the next table.
test('responses that were sent are freed without a collection of the whole heap', async () => {
  const { app, workspace, token } = await createTestService();
  limitConnections(app.server);
  const responses: WeakRef<object>[] = [];
  let kept = 0;
  app.server.on('request', (_, response) => {
    responses.push(new WeakRef(response));
    if (responses.length % READS_PER_COLLECTION > 0) return;
    collectNewObjects();
    kept = Math.max(kept, responses.filter((each) => each.deref() !== undefined).length);
  });
  const origin = await app.listen({ port: 0, host: '127.0.0.1' });
  const headers = { authorization: `Bearer ${await token(await workspace())}` };
  const read = async (path: string): Promise<void> => {
    for (let done = 0; done < READS_PER_CONNECTION; done++) {
      const response = await fetch(`${origin}${path}`, { headers });
      await response.text();
      expect(response.status).toBe(200);
    }
  };
  // Now the objects of the service are old, as in one that has run for some time.
  for (let i = 0; i < 3; i++) collectNewObjects();
  const connections = PATHS.flatMap((path) => Array.from({ length: CONNECTIONS_PER_PATH }, () => path));
  await Promise.all(connections.map(read));
  expect(responses).toHaveLength(connections.length * READS_PER_CONNECTION);
  expect(kept).toBeLessThan(KEPT_MAX);
});
