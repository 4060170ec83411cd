import { RotateCw, ServerCrash } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { ChunkFailure } from './lazy-page.tsx';
import { reloadOnce } from './reload-once.ts';
import { serviceAnswers } from './service-answers.ts';

const RETRY_MS = 2_000;

export interface PageRecoveryProps {
  readonly failure: ChunkFailure;
  /** Called when the code is loaded. */
  readonly onRecovered: () => void;
  readonly heading: 'h1' | 'h2';
}

/**
 * Replaces a page whose code could not be loaded. Opens the page as soon as the service responds. If the service
 * responds but the code is missing, there is a newer release: reloads the window, once.
 */
export function PageRecovery({ failure, onRecovered, heading }: PageRecoveryProps) {
  const [missing, setMissing] = useState(false);
  const recovered = useEffectEvent(onRecovered);
  useEffect(() => {
    let ended = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const attempt = async (): Promise<void> => {
      const answers = await serviceAnswers();
      const loaded = answers && (await failure.retry());
      if (ended) return;
      if (loaded) recovered();
      else if (!answers) timer = setTimeout(() => void attempt(), RETRY_MS);
      else if (!reloadOnce(failure.page)) setMissing(true);
    };
    void attempt();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [failure]);
  return (
    <div role="alert">
      <EmptyState
        icon={ServerCrash}
        title="This page could not be loaded"
        heading={heading}
        actions={
          missing ? (
            <Button onClick={() => location.reload()}>
              <RotateCw size={14} aria-hidden />
              Reload
            </Button>
          ) : undefined
        }
      >
        <p>
          {missing
            ? 'The service is running, but the code of this page is missing.'
            : 'The service cannot be reached. The page opens as soon as the service responds.'}
        </p>
      </EmptyState>
    </div>
  );
}
