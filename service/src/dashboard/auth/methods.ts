/** What the audit log calls the proof that is given at a path of better-auth. */
export const METHODS: Readonly<Record<string, string>> = {
  '/sign-in/email': 'password',
  '/two-factor/verify-totp': 'authenticator',
  '/two-factor/verify-backup-code': 'backup_code',
};
