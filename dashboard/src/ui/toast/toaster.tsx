import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { Toast } from 'radix-ui';
import { buttonClass } from '../button.tsx';
import { dismissToast, useToasts } from './toast-store.ts';

const SHOWN_MS = 6_000;

/** The toasts, at the bottom right, on a phone at full width. F8 moves the focus there. */
export default function Toaster() {
  const messages = useToasts();
  return (
    <Toast.Provider duration={SHOWN_MS}>
      {messages.map(({ id, text, tone }) => (
        <Toast.Root
          key={id}
          onOpenChange={(open) => {
            if (!open) dismissToast(id);
          }}
          className="flex animate-appear items-start gap-2.5 rounded-lg border border-line bg-raised py-2.5 ps-3.5 pe-2 shadow-high"
        >
          {tone === 'good' ? (
            <CircleCheck size={16} aria-hidden className="mt-0.5 shrink-0 text-good" />
          ) : (
            <CircleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-bad" />
          )}
          <Toast.Description className="min-w-0 grow wrap-anywhere">{text}</Toast.Description>
          <Toast.Close aria-label="Dismiss" className={`${buttonClass('ghost')} -my-1.5 !size-7 !px-0`}>
            <X size={14} aria-hidden />
          </Toast.Close>
        </Toast.Root>
      ))}
      <Toast.Viewport className="fixed inset-x-3 bottom-3 z-60 flex flex-col gap-2 sm:left-auto sm:w-88" />
    </Toast.Provider>
  );
}
