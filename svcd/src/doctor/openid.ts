import type { Config } from '@svc/service/config/config';
import { errorMessage } from '@svc/service/config/errors';
import { type Finding, fail, ok } from './check.ts';

const CHECK = 'openid';
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Checks the OpenID Connect provider of the settings as far as that is possible without a sign-in. */
export async function checkOpenId({ oidc, publicUrl }: Config): Promise<readonly Finding[]> {
  if (oidc === undefined) return [];
  const { checkProvider, redirectUriOf } = await import('@svc/service/dashboard/openid/check');
  const redirectUri = redirectUriOf(publicUrl);
  const { protocol, hostname } = new URL(redirectUri);
  const findings: Finding[] = [];
  if (protocol !== 'https:' && !LOOPBACK.has(hostname)) {
    findings.push(
      fail(
        CHECK,
        `the redirect URI ${redirectUri} is not https, so providers refuse it, and others can read its codes`,
        'set SVC_PUBLIC_URL to the https:// address that people use',
      ),
    );
  }
  try {
    await checkProvider(oidc, publicUrl);
    findings.push(ok(CHECK, `${oidc.issuer} responds; its redirect URI for svc must be ${redirectUri}`));
  } catch (error) {
    findings.push(unusable(oidc.issuer, error));
  }
  return findings;
}

function unusable(issuer: string, error: unknown): Finding {
  const document = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const reason = errorMessage(error);
  return reason.startsWith('unavailable')
    ? fail(
        CHECK,
        `${document} does not respond (${reason})`,
        'let this machine reach it by HTTPS, or correct SVC_OIDC_ISSUER',
      )
    : fail(
        CHECK,
        `${document} cannot be used (${reason})`,
        'set SVC_OIDC_ISSUER to exactly the "issuer" in that document, also its last slash',
      );
}
