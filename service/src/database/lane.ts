/** The connections that the service runs statements on. Each function gets the least that it needs. */
export { type Connections, type Lane, type Queryable, type Shares, unshared } from '@svc/turns/lane';
