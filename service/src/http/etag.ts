import { hash } from 'node:crypto';

/** 162 bits: no two bodies share a tag by chance. */
const ETAG_CHARACTERS = 27;

/** The same bytes have the same tag (RFC 9110, 8.8.3). */
export const strongEtag = (content: string): string =>
  `"${hash('sha256', content, 'base64url').slice(0, ETAG_CHARACTERS)}"`;

/** The same meaning has the same tag, though the bytes may differ. */
export const weakEtag = (content: string): string => `W/${strongEtag(content)}`;
