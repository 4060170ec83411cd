import { ArrowRight } from 'lucide-react';
import { messageOf } from '../../api/failure.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Problem } from '../../ui/problem.tsx';
import { StatusBadge } from '../log/entry-parts.tsx';
import type { Draft, ExplorerResponse } from './request.ts';

export interface ResponsePanelProps {
  readonly response: ExplorerResponse | undefined;
  readonly error: unknown;
  readonly busy: boolean;
  readonly onNext: (next: Draft) => void;
}

export function ResponsePanel({ response, error, busy, onNext }: ResponsePanelProps) {
  const next = response?.next ?? null;
  return (
    <Section
      title="Response"
      actions={
        next === null ? undefined : (
          <Button size="small" busy={busy} onClick={() => onNext(next)}>
            Next page
            <ArrowRight size={13} aria-hidden />
          </Button>
        )
      }
    >
      {error !== null ? (
        <Problem>The request failed. {messageOf(error)}</Problem>
      ) : response === undefined ? (
        <p className="py-8 text-center text-soft">Send a request to see its response.</p>
      ) : (
        <ResponseDetails response={response} />
      )}
    </Section>
  );
}

const ResponseDetails = ({ response }: { readonly response: ExplorerResponse }) => (
  <div className="flex flex-col gap-3">
    <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <StatusBadge status={response.status} />
      <span className="text-soft tabular-nums">{response.durationMs} ms</span>
    </p>
    {response.headers.length === 0 ? null : (
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-sm wrap-anywhere">
        {response.headers.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    )}
    {response.body === '' ? (
      <p className="text-soft">The response has no body.</p>
    ) : (
      <div className="max-h-[36rem] overflow-y-auto rounded-md">
        <CodeBlock label="response body" code={response.body} />
      </div>
    )}
  </div>
);
