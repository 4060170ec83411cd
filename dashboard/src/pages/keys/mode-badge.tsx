import type { KeyMode } from '@svc/sdk';
import { Badge } from '../../ui/badge.tsx';

export const ModeBadge = ({ mode }: { readonly mode: KeyMode }) =>
  mode === 'live' ? <Badge tone="good">Live</Badge> : <Badge tone="warn">Test</Badge>;
