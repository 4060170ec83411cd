import { ArrowRight } from 'lucide-react';
import { messageOf } from '../../api/failure.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Problem } from '../../ui/problem.tsx';
import { StatusBadge } from '../log/entry-parts.tsx';
import type { Answer } from './request.ts';

export interface AnswerPanelProps {
  readonly answer: Answer | undefined;
  readonly error: unknown;
  readonly busy: boolean;
  readonly onNext: (cursor: string) => void;
}

export function AnswerPanel({ answer, error, busy, onNext }: AnswerPanelProps) {
  const next = answer?.nextCursor ?? null;
  return (
    <Section
      title="Answer"
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
        <Problem>The request got no answer. {messageOf(error)}</Problem>
      ) : answer === undefined ? (
        <p className="py-8 text-center text-soft">Send the request, and its answer appears here.</p>
      ) : (
        <Shown answer={answer} />
      )}
    </Section>
  );
}

const Shown = ({ answer }: { readonly answer: Answer }) => (
  <div className="flex flex-col gap-3">
    <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <StatusBadge status={answer.status} />
      <span>{answer.statusText}</span>
      <span className="text-soft tabular-nums">{answer.durationMs} ms</span>
    </p>
    {answer.headers.length === 0 ? null : (
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-sm wrap-anywhere">
        {answer.headers.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
    )}
    {answer.body === '' ? (
      <p className="text-soft">The answer has no body.</p>
    ) : (
      <div className="max-h-[36rem] overflow-y-auto rounded-md">
        <CodeBlock label="JSON of the answer" code={answer.body} />
      </div>
    )}
  </div>
);
