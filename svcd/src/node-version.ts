/** The oldest major version of Node.js that runs the service. package.json of the packed service states the same. */
export const OLDEST_NODE = 24;

/** Ends the process with a clear message if Node.js is too old to load the other modules. */
export async function requireNodeVersion(): Promise<void> {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) >= OLDEST_NODE) return;
  const { say } = await import('./output.ts');
  say(
    `svcd: the service needs Node.js ${OLDEST_NODE} or newer, and this is ${node} (${process.execPath}). Install a newer one.`,
  );
  process.exit(1);
}
