import { domainToASCII } from 'node:url';

/** One provider and who may come from it. */
export interface ProviderSettings {
  /** The issuer identifier, exactly as the provider names itself. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The name of the provider for people. */
  readonly name: string;
  /** Domains of email addresses, in lower case. Undefined: all. */
  readonly allowedDomains: readonly string[] | undefined;
}

/** The settings that {@link readProviderSettings} reads. */
export const PROVIDER_SETTINGS = [
  'SVC_OIDC_ISSUER',
  'SVC_OIDC_CLIENT_ID',
  'SVC_OIDC_CLIENT_SECRET',
  'SVC_OIDC_NAME',
  'SVC_OIDC_ALLOWED_DOMAINS',
] as const;

const DOMAINS_MAX = 100;
const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;
const NAME_MAX_CHARACTERS = 40;
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Reads the settings. Undefined without an issuer. Adds a sentence to `mistakes` for each mistake. */
export function readProviderSettings(
  read: (name: string) => string | undefined,
  mistakes: string[],
): ProviderSettings | undefined {
  const issuer = read('SVC_OIDC_ISSUER');
  if (issuer === undefined) return undefined;
  const required = (name: string): string => {
    const value = read(name);
    if (value === undefined) mistakes.push(`${name} must be set if SVC_OIDC_ISSUER is set.`);
    return value ?? '';
  };
  if (!isIssuer(issuer)) {
    mistakes.push(
      'SVC_OIDC_ISSUER must be the https:// URL of the provider, without a query, such as https://accounts.google.com ' +
        '(http:// is allowed only for this machine).',
    );
  }
  const name = read('SVC_OIDC_NAME');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (name !== undefined && (name.length > NAME_MAX_CHARACTERS || /[\u0000-\u001f\u007f]/.test(name))) {
    mistakes.push(`SVC_OIDC_NAME must be 1 to ${NAME_MAX_CHARACTERS} characters on one line.`);
  }
  return {
    issuer,
    clientId: required('SVC_OIDC_CLIENT_ID'),
    clientSecret: required('SVC_OIDC_CLIENT_SECRET'),
    name: name ?? URL.parse(issuer)?.hostname ?? '',
    allowedDomains: readDomains(read('SVC_OIDC_ALLOWED_DOMAINS'), mistakes),
  };
}

function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    return false;
  }
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname));
}

function readDomains(text: string | undefined, mistakes: string[]): readonly string[] | undefined {
  if (text === undefined || text === '*') return undefined;
  const domains = text.split(',').map((domain) => domainToASCII(domain.trim()).toLowerCase());
  if (domains.length > DOMAINS_MAX || !domains.every((domain) => DOMAIN.test(domain))) {
    mistakes.push(
      `SVC_OIDC_ALLOWED_DOMAINS must be * or at most ${DOMAINS_MAX} domains of email addresses, separated by commas, ` +
        'such as "example.com, example.org".',
    );
  }
  return domains;
}

const EMAIL = /^[\u0021-\u003f\u0041-\u007e]+@([\u0021-\u003f\u0041-\u007e]+)$/;

/**
 * Whether the domain of an email address is exactly one of the domains. Addresses that are not plain ASCII, or have
 * several `@`, have no allowed domain: their letters can look like others, or become others in lower case.
 */
export function isAllowedDomain(email: string, domains: readonly string[] | undefined): boolean {
  const domain = EMAIL.exec(email)?.[1];
  return domain !== undefined && (domains === undefined || domains.includes(domain.toLowerCase()));
}
