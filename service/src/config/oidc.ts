import { PROVIDER_SETTINGS, type ProviderSettings, readProviderSettings } from '@svc/openid-sign-in/settings';
import { isId } from '@svc/sdk/contract';

export const OIDC_SETTINGS = [...PROVIDER_SETTINGS, 'SVC_OIDC_WORKSPACE', 'SVC_OIDC_DEFAULT_ROLE'] as const;

const ROLES = ['viewer', 'admin'] as const;

/** Sign-in with one OpenID Connect provider. */
export interface OidcSettings extends ProviderSettings {
  /** Where people without an account become members. Undefined: they need an invitation. */
  readonly newcomers: { readonly workspaceId: string; readonly role: (typeof ROLES)[number] } | undefined;
}

type Read = (name: string) => string | undefined;

/** Reads the SVC_OIDC_… settings. Undefined without SVC_OIDC_ISSUER. Adds a sentence to `mistakes` for each mistake. */
export function readOidcSettings(read: Read, mistakes: string[]): OidcSettings | undefined {
  const provider = readProviderSettings(read, mistakes);
  if (provider !== undefined) return { ...provider, newcomers: readNewcomers(read, mistakes) };
  for (const name of OIDC_SETTINGS)
    if (read(name) !== undefined) mistakes.push(`${name} needs SVC_OIDC_ISSUER.`);
  return undefined;
}

function readNewcomers(read: Read, mistakes: string[]): OidcSettings['newcomers'] {
  const workspaceId = read('SVC_OIDC_WORKSPACE');
  const given = read('SVC_OIDC_DEFAULT_ROLE');
  const role = ROLES.find((name) => name === (given ?? 'viewer'));
  if (role === undefined)
    mistakes.push(`SVC_OIDC_DEFAULT_ROLE must be one of ${ROLES.join(', ')}, not "${given}".`);
  if (workspaceId === undefined) {
    if (given !== undefined) mistakes.push('SVC_OIDC_DEFAULT_ROLE needs SVC_OIDC_WORKSPACE.');
    return undefined;
  }
  if (!isId(workspaceId))
    mistakes.push(`SVC_OIDC_WORKSPACE must be the id of a workspace, not "${workspaceId}".`);
  if (read('SVC_OIDC_ALLOWED_DOMAINS') === undefined)
    mistakes.push(
      'SVC_OIDC_WORKSPACE needs SVC_OIDC_ALLOWED_DOMAINS: the domains whose people may join (* means all).',
    );
  return { workspaceId, role: role ?? 'viewer' };
}
