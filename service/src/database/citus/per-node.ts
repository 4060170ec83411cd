import { NODES_MAX } from '../../config/limits.ts';
import type { WorkspaceNodes } from './workspace-nodes.ts';

/** What a process has for each node of a cluster, such as a connection. */
export interface PerNode<Resource> {
  /** Opens what the node has no resource for yet. Undefined: there can be none for this node. */
  of(node: string): Resource | undefined;
  /** Those that are open. */
  readonly all: readonly Resource[];
  end(): Promise<void>;
}

/**
 * Opens a resource for each node that is asked for, at most NODES_MAX, and closes those of nodes that are no longer part of
 * the cluster: one may have been replaced. `open` gets `host:port`.
 */
export function createPerNode<Resource extends { end(): Promise<void> }>(
  workspaceNodes: WorkspaceNodes,
  open: (node: string) => Resource | undefined,
): PerNode<Resource> {
  /** Undefined: a node without resource. */
  const nodes = new Map<string, Resource | undefined>();
  /** The nodes of the cluster when the map was compared with them. */
  let compared: ReadonlySet<string> = new Set();
  let ended = false;
  const ending = new Set<Promise<void>>();

  const close = (name: string): void => {
    const resource = nodes.get(name);
    nodes.delete(name);
    if (resource === undefined) return;
    const end = resource.end().finally(() => ending.delete(end));
    ending.add(end);
  };
  const compare = (): void => {
    if (workspaceNodes.nodes === compared) return;
    compared = workspaceNodes.nodes;
    for (const name of nodes.keys()) if (!compared.has(name)) close(name);
  };
  return {
    of(node) {
      if (ended) return undefined;
      compare();
      if (!nodes.has(node) && nodes.size < NODES_MAX) nodes.set(node, open(node));
      return nodes.get(node);
    },
    get all() {
      return [...nodes.values()].filter((resource) => resource !== undefined);
    },
    async end() {
      ended = true;
      for (const name of nodes.keys()) close(name);
      await Promise.all(ending);
    },
  };
}
