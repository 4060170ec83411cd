import { getRouteApi } from '@tanstack/react-router';

const route = getRouteApi('/signed-in/w/$workspaceId');

/** The workspace id in the URL. Only for components below workspaceRoute. */
export const useWorkspaceId = (): string => route.useParams().workspaceId;
