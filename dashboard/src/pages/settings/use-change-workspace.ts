import { useQueryClient } from '@tanstack/react-query';
import { useAction } from '../../api/action.ts';
import { changeWorkspace, monthQuery, type WorkspaceChange, workspaceQuery } from '../../api/workspace.ts';
import { toast } from '../../ui/toast/toast-store.ts';

/** Changes the workspace and refreshes everything that shows it. */
export function useChangeWorkspace(workspaceId: string, changeOf: () => WorkspaceChange, done: string) {
  const client = useQueryClient();
  return useAction({
    mutationFn: () => changeWorkspace(workspaceId, changeOf()),
    onSuccess: async (workspace) => {
      client.setQueryData(workspaceQuery(workspaceId).queryKey, workspace);
      toast(done);
      await client.invalidateQueries({ queryKey: ['me'] });
      await client.invalidateQueries({ queryKey: monthQuery(workspaceId).queryKey });
    },
  });
}
