import { useWorkspace } from '../../api/workspace.ts';
import { formatNumber } from '../../format/number.ts';
import { whyNot } from '../../session/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Form, fieldError } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { useTyped } from '../../ui/form/typed.ts';
import { useChangeWorkspace } from './use-change-workspace.ts';

export interface LimitFormProps {
  readonly workspaceId: string;
  readonly field: 'liveQuota' | 'burstLimit';
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly done: { readonly set: string; readonly none: string };
}

/** A form for one limit. An empty field means no limit. */
export function LimitForm({ workspaceId, field, label, min, max, done }: LimitFormProps) {
  const workspace = useWorkspace(workspaceId);
  const [text, setText] = useTyped(workspace[field]?.toString() ?? '');
  const value = text === '' ? null : Number(text);
  const change = useChangeWorkspace(
    workspaceId,
    () => ({ [field]: value }),
    value === null ? done.none : done.set,
  );
  const blocked = whyNot(workspace.role, 'quota.set');
  const unchanged = value === workspace[field] ? 'There are no changes to save.' : undefined;
  return (
    <Form
      action={change}
      repeatable
      fields={[field]}
      unsaved={unchanged === undefined}
      actions={
        <div>
          <Button type="submit" busy={change.isPending} blocked={blocked ?? unchanged}>
            Save
          </Button>
        </div>
      }
    >
      <TextField
        label={label}
        hint={value === null ? 'Leave empty for no limit.' : formatNumber(value)}
        type="number"
        inputMode="numeric"
        min={min}
        max={max}
        step={1}
        placeholder="No limit"
        className="max-w-60 tabular-nums"
        readOnly={blocked !== undefined}
        value={text}
        onChange={setText}
        error={fieldError(change.error, field)}
      />
    </Form>
  );
}
