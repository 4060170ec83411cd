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
  /** The code is there: shows the page. */
  readonly onRecovered: () => void;
  readonly heading: 'h1' | 'h2';
}

/**
 * In place of a page whose code could not be loaded. Opens the page as soon as the service answers. Where the code is
 * missing although the service answers, there is a newer release: the window is reloaded, once.
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
            ? 'The service answers, but does not have the code of this page.'
            : 'The service cannot be reached. The page opens as soon as the service answers.'}
        </p>
      </EmptyState>
    </div>
  );
}
