import type { BetterAuthOptions } from 'better-auth';

/**
 * better-auth's models in our tables and our spelling (migrations/0003_sign_in.sql, 0005_second_factor.sql). A test
 * asks better-auth whether anything is missing.
 */

const CREATED = { createdAt: 'created_at' } as const;
const TIMES = { ...CREATED, updatedAt: 'updated_at' } as const;

export const SIGN_IN_MODELS = {
  user: { modelName: 'users', fields: { ...TIMES, emailVerified: 'email_verified' } },
  session: {
    modelName: 'sessions',
    fields: {
      ...TIMES,
      userId: 'user_id',
      expiresAt: 'expires_at',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
    },
  },
  account: {
    modelName: 'accounts',
    fields: {
      ...TIMES,
      userId: 'user_id',
      accountId: 'account_id',
      providerId: 'provider_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
    },
  },
  verification: { modelName: 'verifications', fields: { ...TIMES, expiresAt: 'expires_at' } },
} as const satisfies Pick<BetterAuthOptions, 'user' | 'session' | 'account' | 'verification'>;

export const RATE_LIMIT_MODEL = {
  modelName: 'rate_limits',
  fields: { lastRequest: 'last_request' },
} as const;

export const ORGANIZATION_MODELS = {
  session: { fields: { activeOrganizationId: 'active_workspace_id' } },
  organization: { modelName: 'organizations', fields: CREATED },
  member: {
    modelName: 'members',
    fields: { ...CREATED, organizationId: 'workspace_id', userId: 'user_id' },
  },
  invitation: {
    modelName: 'invitations',
    fields: { ...CREATED, organizationId: 'workspace_id', inviterId: 'inviter_id', expiresAt: 'expires_at' },
  },
} as const;

export const SECOND_FACTOR_MODELS = {
  user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
  twoFactor: {
    modelName: 'second_factors',
    fields: {
      userId: 'user_id',
      backupCodes: 'backup_codes',
      failedVerificationCount: 'failed_verification_count',
      lockedUntil: 'locked_until',
    },
  },
} as const;
