export interface WorkspaceProps {
  readonly workspaceId: string;
}
