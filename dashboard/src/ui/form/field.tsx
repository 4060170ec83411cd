import { CircleAlert } from 'lucide-react';
import { type ReactNode, useContext, useId } from 'react';
import { WrongValuesOfForm } from './wrong-value.ts';

/** Attributes that connect a control with its label, hint and error. */
interface ControlProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

export interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null | undefined;
  readonly optional?: boolean;
  readonly children: (control: ControlProps) => ReactNode;
}

/** A control with its label above and its hint or error below. In a form, it also shows what the browser finds wrong. */
export function Field({ label, hint, error, optional = false, children }: FieldProps) {
  const id = useId();
  const wrong = useContext(WrongValuesOfForm).get(id) ?? error;
  const failed = wrong !== undefined && wrong !== null;
  const noteId = failed || hint !== undefined ? `${id}-note` : undefined;
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium wrap-anywhere">
        {label}
        {optional ? <span className="font-normal text-soft"> (optional)</span> : null}
      </label>
      {children({ id, 'aria-describedby': noteId, 'aria-invalid': failed ? true : undefined })}
      {failed ? (
        <p id={noteId} role="alert" className="flex gap-1.5 text-sm text-bad">
          <CircleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
          {wrong}
        </p>
      ) : (
        hint !== undefined && (
          <p id={noteId} className="text-sm text-soft">
            {hint}
          </p>
        )
      )}
    </div>
  );
}
