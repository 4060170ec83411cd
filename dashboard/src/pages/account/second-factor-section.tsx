import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionQuery } from '../../api/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { FailureState } from '../../ui/failure-state.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { DisableSecondFactor } from './disable-second-factor.tsx';
import { EnableSecondFactor } from './enable-second-factor.tsx';
import { NewBackupCodes } from './new-backup-codes.tsx';

type Open = 'enable' | 'disable' | 'codes' | null;

export interface SecondFactorSectionProps {
  /** Called when a dialog of the section opens or closes. */
  readonly onDialog?: (open: boolean) => void;
}

export function SecondFactorSection({ onDialog }: SecondFactorSectionProps) {
  const { data, error, refetch } = useQuery(sessionQuery);
  const [open, setOpen] = useState<Open>(null);
  const show = (dialog: Open): void => {
    setOpen(dialog);
    onDialog?.(dialog !== null);
  };
  const close = (): void => show(null);
  if (error !== null && data === undefined) {
    return <FailureState error={error} retry={() => void refetch()} />;
  }
  const enabled = data?.user.twoFactorEnabled;
  return (
    <Section
      title="Second factor"
      description="A code from an authenticator app in addition to your password: a stolen password alone is not enough."
      actions={
        enabled === undefined ? (
          <Skeleton className="h-5 w-10" />
        ) : (
          <Badge tone={enabled ? 'good' : 'neutral'}>{enabled ? 'On' : 'Off'}</Badge>
        )
      }
    >
      <div className="flex flex-wrap gap-2">
        {enabled === true ? (
          <>
            <Button onClick={() => show('codes')}>New backup codes</Button>
            <Button onClick={() => show('disable')}>Switch off</Button>
          </>
        ) : (
          <Button busy={enabled === undefined} onClick={() => show('enable')}>
            Set up an authenticator
          </Button>
        )}
      </div>
      {open === 'enable' ? <EnableSecondFactor onClose={close} /> : null}
      {open === 'disable' ? <DisableSecondFactor onClose={close} /> : null}
      {open === 'codes' ? <NewBackupCodes onClose={close} /> : null}
    </Section>
  );
}
