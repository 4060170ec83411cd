import type { ReactNode } from 'react';
import { useTitle } from '../../layout/page.tsx';

export interface SignInFrameProps {
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of the pages before the sign-in. */
export function SignInFrame({ title, description, children }: SignInFrameProps) {
  useTitle(title);
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-6 px-4 py-10">
      <div className="flex items-center gap-2.5">
        <Logo />
        <span className="text-lg font-semibold tracking-tight">svc</span>
      </div>
      <div className="w-full max-w-sm rounded-xl border border-line bg-surface p-6 shadow-low">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {description === undefined ? null : <p className="mt-1 text-soft">{description}</p>}
        <div className="mt-5">{children}</div>
      </div>
    </main>
  );
}

const Logo = () => (
  <svg viewBox="0 0 32 32" className="size-8" aria-hidden="true">
    <rect width="32" height="32" rx="8" className="fill-accent" />
    <path
      d="M9 11.5h14M9 16h9M9 20.5h14"
      strokeWidth="2.75"
      strokeLinecap="round"
      className="stroke-on-accent"
    />
  </svg>
);
