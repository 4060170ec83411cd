import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { meQuery } from '../api/me.ts';
import { classes } from '../ui/classes.ts';

export interface PageProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Below the description. */
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  /** Limits the width, for forms and text. */
  readonly narrow?: boolean;
  readonly children: ReactNode;
}

/** A page with its heading, which is also the title of the window, with the name of the workspace. */
export function Page({ title, description, note, actions, narrow = false, children }: PageProps) {
  const { workspaceId } = useParams({ strict: false });
  const { data: me } = useQuery({ ...meQuery, enabled: false });
  const workspace = me?.workspaces.find(({ id }) => id === workspaceId);
  useTitle(workspace === undefined ? title : `${title} · ${workspace.name}`);
  return (
    <div className="mx-auto max-w-7xl px-4 py-5 sm:px-6 lg:py-7">
      <header className="mb-5 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <div className="min-w-0 max-w-2xl">
          <h1 className="text-xl font-semibold tracking-tight wrap-anywhere">
            <bdi>{title}</bdi>
          </h1>
          {description === undefined ? null : <p className="mt-0.5 text-pretty text-soft">{description}</p>}
          {note === undefined ? null : <p className="text-soft">{note}</p>}
        </div>
        {actions === undefined ? null : <div className="flex flex-wrap gap-2 print:hidden">{actions}</div>}
      </header>
      <div className={classes('flex flex-col gap-5', narrow && 'max-w-3xl')}>{children}</div>
    </div>
  );
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · svc`;
  }, [title]);
}
