import type { Role } from '@svc/service/dashboard/permissions';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { oneOf } from '../../../routes/search.ts';
import { whyNot } from '../../../session/permissions.ts';
import { LIST_DIALOGS, type ListDialog } from '../data-search.ts';

const route = getRouteApi('/signed-in/w/$workspaceId/data/$resource');

const NEEDED = { create: 'record.change', import: 'record.import' } as const;

export interface ShownDialog {
  readonly shown: ListDialog | undefined;
  readonly show: (dialog: ListDialog) => void;
  readonly close: () => void;
}

/**
 * The dialog that the URL of a list names, if the role allows it when it opens. Then it stays until it closes, because it
 * says what the service refuses.
 */
export function useListDialog(role: Role): ShownDialog {
  const { dialog: named } = route.useSearch();
  const dialog = oneOf(named, LIST_DIALOGS);
  const navigate = route.useNavigate();
  const [shown, setShown] = useState<ListDialog>();
  const allowed = dialog === undefined || dialog === shown || whyNot(role, NEEDED[dialog]) === undefined;
  const next = allowed ? dialog : undefined;
  if (next !== shown) setShown(next);
  const set = (changed: ListDialog | undefined): void =>
    void navigate({
      search: (before) => ({ ...before, dialog: changed }),
      replace: true,
      resetScroll: false,
      // The dialog has asked.
      ignoreBlocker: true,
    });
  return { shown: next, show: set, close: () => set(undefined) };
}
