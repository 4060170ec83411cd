/** The kinds of entries about the records that people and imports write. Writes with keys are `api.request`. */
export const RECORD_KINDS = {
  'record.changed': {
    label: 'Record changed',
    description: 'A person changed a record in the dashboard.',
    target: 'record',
    changes: 'any',
  },
  'record.created': {
    label: 'Record created',
    description: 'A person created a record in the dashboard.',
    target: 'record',
  },
  'record.deleted': {
    label: 'Record deleted',
    description: 'A person deleted a record in the dashboard.',
    target: 'record',
  },
  'records.changed': {
    label: 'Records changed',
    description:
      'A person changed several records in the dashboard at once. `recordIds` names those that changed.',
    target: 'resource',
    changes: 'any',
  },
  'records.deleted': {
    label: 'Records deleted',
    description: 'A person deleted several records in the dashboard at once. `recordIds` names them.',
    target: 'resource',
  },
  'records.imported': {
    label: 'Records imported',
    description:
      'A person or the operator imported records from a file: one entry for each import that added records, with what it has added so far. `existing` and `refused` count what it left out. While `finished` is false, because the import runs or has stopped, they are null or incomplete.',
    target: 'import',
    details: ['existing', 'refused', 'finished'],
  },
} as const;

/** The kinds of entries about endpoints of webhooks (audit-log-kinds.ts). */
export const WEBHOOK_KINDS = {
  'webhook.created': {
    label: 'Webhook created',
    description: 'A person created an endpoint of webhooks. `types` and `companyId` are null if it gets all.',
    target: 'webhook',
    details: ['types', 'companyId', 'ordered'],
  },
  'webhook.deleted': {
    label: 'Webhook deleted',
    description: 'A person deleted an endpoint of webhooks.',
    target: 'webhook',
  },
  'webhook.disabled': {
    label: 'Webhook disabled',
    description:
      'An endpoint of webhooks was disabled, by a person (`reason` is `person`) or by the service: `gone`, `exhausted`, `failing` or `expired`.',
    target: 'webhook',
    details: ['reason'],
  },
  'webhook.enabled': {
    label: 'Webhook enabled',
    description: 'A person enabled an endpoint of webhooks.',
    target: 'webhook',
  },
  'webhook.replayed': {
    label: 'Webhook replayed',
    description:
      'A person had events sent to an endpoint of webhooks again: one (`eventId`), all failed ones (`events` is how many), or everything since a time (`since`).',
    target: 'webhook',
    details: ['eventId', 'events', 'since'],
  },
  'webhook.secret_rotated': {
    label: 'Webhook secret rotated',
    description:
      'A person replaced the secret of an endpoint of webhooks. The old one signs 24 hours longer.',
    target: 'webhook',
  },
  'webhook.secret_shown': {
    label: 'Webhook secret shown',
    description: 'A person looked at the secret of an endpoint of webhooks.',
    target: 'webhook',
  },
  'webhook.test_sent': {
    label: 'Test webhook sent',
    description: 'A person had a test event sent to an endpoint of webhooks.',
    target: 'webhook',
    details: ['eventId'],
  },
  'webhook.updated': {
    label: 'Webhook changed',
    description:
      'A person changed the settings of an endpoint of webhooks. Of its URL, the entry has only the origin.',
    target: 'webhook',
    changes: ['url', 'description', 'types', 'companyId', 'ordered'],
  },
} as const;

/** The sessions of people, and the sign-ins that start them. */
export const SESSION_KINDS = {
  'session.ended': {
    label: 'Sessions ended',
    description: 'A person signed out or ended sessions of their own. `sessions` is how many ended.',
    target: 'member',
    details: ['sessions'],
  },
  'session.password_accepted': {
    label: 'Password accepted',
    description:
      'The correct password was entered for an account with a second factor. The second factor was not entered yet.',
    target: 'member',
  },
  'session.provider_accepted': {
    label: 'Provider confirmed the person',
    description:
      'The OpenID Connect provider confirmed a person whose account has a second factor. The second factor was not entered yet.',
    target: 'member',
  },
  'session.sign_in_failed': {
    label: 'Sign-in failed',
    description: 'A sign-in failed. `method` is what was wrong.',
    target: 'member',
    details: ['method'],
  },
  'session.signed_in': {
    label: 'Signed in',
    description: 'A person signed in. `method` is the last factor that was checked.',
    target: 'member',
    details: ['method'],
  },
} as const;
