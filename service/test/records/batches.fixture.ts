import { readBatches } from '../../src/bulk/batches.ts';
import { companies } from '../../src/resources/index.ts';
import { HOSTILE_FILES } from './hostile.fixture.ts';

// A process that reads hostile files: `node batches.fixture.ts <bytes of each>`. Prints a line of JSON for each.
const [bytes = ''] = process.argv.slice(2);

for (const [name, file] of Object.entries(HOSTILE_FILES)) {
  let records = 0;
  for await (const batch of readBatches(chunksOf(file.chunks(Number(bytes))), companies, file.format)) {
    records += batch.records.length + batch.refused.length;
  }
  process.stdout.write(`${JSON.stringify({ name, records })}\n`);
}

async function* chunksOf(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks;
}
