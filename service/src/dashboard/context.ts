import type { Connections, Shares } from '@svc/turns/lane';
import type { UsageCounter } from '../audit-log/usage/usage-counter.ts';
import type { OidcSettings } from '../config/oidc.ts';
import type { Clock } from '../config/time.ts';
import type { KeyStore } from '../keys/store.ts';
import type { ListReader } from '../list/read.ts';
import type { ChangeSignals } from '../signals/signals.ts';
import type { DashboardAuth } from './auth/index.ts';
import type { Sessions } from './requests/session.ts';
import type { Webhooks } from './webhooks/receivers.ts';
import type { Deployment } from './wire.ts';

/** The dependencies of the dashboard's endpoints. */
export interface DashboardContext {
  /** Runs the statements of sign-in. */
  readonly people: Connections;
  /** Runs the statements of other requests. One that changes data waits for its turn among the writes of its owner. */
  readonly pool: Connections;
  /** Runs the writes of a request that otherwise only reads: the audit entry of an export. */
  readonly changes: Connections;
  /** Runs the statements of an export, which continue while the response is sent, after the request has ended. */
  readonly slow: Shares;
  readonly auth: DashboardAuth;
  readonly sessions: Sessions;
  readonly keys: KeyStore;
  readonly reader: ListReader;
  readonly usage: UsageCounter;
  readonly signals: ChangeSignals;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly oidc: OidcSettings | undefined;
  readonly deployment: Deployment;
  readonly webhooks: Webhooks;
}
