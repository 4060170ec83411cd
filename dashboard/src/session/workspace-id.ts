import { getRouteApi } from '@tanstack/react-router';

const route = getRouteApi('/signed-in/w/$workspaceId');

/** The workspace in the address. For pages below /w. */
export const useWorkspaceId = (): string => route.useParams().workspaceId;
