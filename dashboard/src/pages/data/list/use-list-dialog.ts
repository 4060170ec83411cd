import type { Role } from '@svc/service/dashboard/permissions';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { oneOf } from '../../../routes/search.ts';
import { whyNot } from '../../../session/permissions.ts';
import { LIST_DIALOGS, type ListDialog } from '../data-search.ts';

const route = getRouteApi('/signed-in/w/$workspaceId/data/$resource');

/** The permission that a dialog needs. Undefined: every member may open it. */
const NEEDED = { create: 'record.change', export: undefined, import: 'record.import' } as const;

export interface ShownDialog {
  readonly shown: ListDialog | undefined;
  /** The file that was dropped on the list. Undefined: the dialog asks for one. */
  readonly file: File | undefined;
  readonly show: (dialog: ListDialog, file?: File) => void;
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
  const [file, setFile] = useState<File>();
  const needed = dialog === undefined ? undefined : NEEDED[dialog];
  const allowed = needed === undefined || dialog === shown || whyNot(role, needed) === undefined;
  const next = allowed ? dialog : undefined;
  if (next !== shown) setShown(next);
  const left = useRef(false);
  useEffect(() => {
    left.current = false;
    return () => {
      left.current = true;
    };
  }, []);
  const set = (changed: ListDialog | undefined, dropped?: File): void => {
    // A form that is sent may close after the person has left the page.
    if (left.current) return;
    setFile(dropped);
    void navigate({
      search: (before) => ({ ...before, dialog: changed }),
      replace: true,
      resetScroll: false,
      // The dialog has asked.
      ignoreBlocker: true,
    });
  };
  const drop = useEffectEvent(() => set(undefined));
  useEffect(() => {
    if (!allowed) drop();
  }, [allowed]);
  return { shown: next, file, show: set, close: () => set(undefined) };
}
