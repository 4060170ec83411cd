import { NAME_MAX_CHARACTERS } from '@svc/service/dashboard/limits';
import { useWorkspace } from '../../api/workspace.ts';
import { When } from '../../format/when.tsx';
import { whyNot } from '../../session/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Form, fieldError } from '../../ui/form/form.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { useTyped } from '../../ui/form/typed.ts';
import { DeleteWorkspace } from './delete-workspace.tsx';
import { useChangeWorkspace } from './use-change-workspace.ts';

export function GeneralTab({ workspaceId }: { readonly workspaceId: string }) {
  const workspace = useWorkspace(workspaceId);
  const [name, setName] = useTyped(workspace.name);
  const change = useChangeWorkspace(workspaceId, () => ({ name }), 'Workspace renamed.');
  const blocked = whyNot(workspace.role, 'workspace.rename');
  const unchanged = name === workspace.name ? 'The name has not changed.' : undefined;
  return (
    <div className="flex flex-col gap-5">
      <Section title="Workspace">
        <Form
          action={change}
          repeatable
          fields={['name']}
          unsaved={unchanged === undefined}
          actions={
            <div>
              <Button type="submit" busy={change.isPending} blocked={blocked ?? unchanged}>
                Rename
              </Button>
            </div>
          }
        >
          <TextField
            label="Name"
            required
            maxLength={NAME_MAX_CHARACTERS}
            autoComplete="off"
            readOnly={blocked !== undefined}
            value={name}
            onChange={setName}
            error={fieldError(change.error, 'name')}
          />
        </Form>
      </Section>
      <Section title="About">
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-6 gap-y-2">
          <dt className="text-soft">Identifier</dt>
          <dd className="flex min-w-0 items-center gap-1">
            <code className="truncate">{workspace.id}</code>
            <CopyButton text={workspace.id} label="Copy the identifier" />
          </dd>
          <dt className="text-soft">Created</dt>
          <dd>
            <When at={workspace.createdAt} form="full" />
          </dd>
          <dt className="text-soft">Your role</dt>
          <dd>{workspace.role}</dd>
        </dl>
      </Section>
      <DeleteWorkspace workspace={workspace} />
    </div>
  );
}
