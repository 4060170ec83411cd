import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useAction } from '../../api/action.ts';
import { sessionQuery } from '../../api/session.ts';
import { endSession } from '../../session/sign-out.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Form } from '../../ui/form/form.tsx';

export interface OtherSessionProps {
  /** The address of the person who is signed in. */
  readonly own: string;
  /** The address that the invitation is for. */
  readonly invited: string;
}

/** Shown when the signed-in person is not the one who was invited. */
export function OtherSession({ own, invited }: OtherSessionProps) {
  const client = useQueryClient();
  const signOut = useAction({
    mutationFn: endSession,
    onSuccess: () => {
      client.removeQueries({ type: 'inactive' });
      client.setQueryData(sessionQuery.queryKey, null);
    },
  });
  return (
    <Form
      action={signOut}
      fields={[]}
      unsaved={false}
      actions={
        <>
          <Button type="submit" variant="primary" busy={signOut.isPending}>
            Sign out and join as {invited}
          </Button>
          <Link to="/" className={buttonClass('secondary')}>
            Stay
          </Link>
        </>
      }
    >
      <p role="status" className="rounded-md bg-warn-ground px-3 py-2 text-warn wrap-anywhere">
        You are signed in as {own}.
      </p>
    </Form>
  );
}
