import { RotateCw, ServerCrash } from 'lucide-react';
import { ApiFailure, messageOf } from '../api/failure.ts';
import { Button } from './button.tsx';
import { EmptyState } from './empty-state.tsx';

export interface FailureStateProps {
  readonly error: unknown;
  readonly retry: () => void;
  /** "The keys could not be loaded" */
  readonly title?: string;
  readonly heading?: 'h1' | 'h2';
}

/** Replaces content that could not be loaded, with the error and a button to try again. */
export function FailureState(props: FailureStateProps) {
  const { error, retry, title = 'This could not be loaded', heading = 'h2' } = props;
  const message = messageOf(error);
  const requestId = error instanceof ApiFailure ? error.requestId : null;
  return (
    <div role="alert">
      <EmptyState
        icon={ServerCrash}
        title={title}
        heading={heading}
        actions={
          <Button onClick={retry}>
            <RotateCw size={14} aria-hidden />
            Try again
          </Button>
        }
      >
        <p>{message}</p>
        {requestId === null || message.includes(requestId) ? null : (
          <p className="mt-1 text-xs">
            Request <code className="text-xs">{requestId}</code>
          </p>
        )}
      </EmptyState>
    </div>
  );
}
