import { registerHooks } from 'node:module';
import type { Plant } from './plant.ts';

// Loaded by a node of the service before anything else: changes one of its modules as it is loaded. The service itself
// knows nothing of this.

const { file, replace, by, append = '' } = JSON.parse(process.env['PLANTED_FAULT'] ?? '') as Plant;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/service/src/${file}`)) return loaded;
    const source = Buffer.from(loaded.source as Uint8Array).toString('utf8');
    if (source.split(replace).length !== 2) {
      throw new Error(`the planted fault does not fit ${file} any more: it replaces ${replace}`);
    }
    return { ...loaded, source: `${source.replace(replace, () => by)}\n${append}` };
  },
});
