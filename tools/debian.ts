import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const INSTALL_TIMEOUT_MS = 300_000;

/** The path of a program of a Debian package. Installs the package if it is missing. Undefined if that is not possible. */
export function findProgram(path: string, debianPackage: string): string | undefined {
  if (existsSync(path)) return path;
  if (process.getuid?.() !== 0) return undefined;
  try {
    const options = { stdio: 'ignore', timeout: INSTALL_TIMEOUT_MS } as const;
    execFileSync('apt-get', ['update', '-q'], options);
    execFileSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', debianPackage], options);
  } catch {
    return undefined;
  }
  return existsSync(path) ? path : undefined;
}
