import pg from 'pg';
import { migrate } from './migrate.ts';

// One node of a race: migrates the database of its argument and prints the numbers that it applied.
const pool = new pg.Pool({ connectionString: process.argv[2], max: 1 });
const { applied } = await migrate(pool);
await pool.end();
process.stdout.write(JSON.stringify(applied));
