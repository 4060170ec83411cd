/** The codes of Node.js for certificates that are not accepted. */
const CERTIFICATE_CODES: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** What to do about a connection that failed because of TLS. Undefined: it failed for another reason. */
export function explainTls(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.message === 'The server does not support SSL connections')
    return 'the server does not support TLS. Turn it on there (ssl = on), or set sslmode=disable in the URL';
  if (!('code' in error && typeof error.code === 'string' && CERTIFICATE_CODES.has(error.code)))
    return undefined;
  return (
    `the certificate of the server is not accepted (${error.message}). Name the certificate of its authority in the URL ` +
    '(sslrootcert=FILE), or connect to a name for which it is valid'
  );
}
