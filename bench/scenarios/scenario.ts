import { counted } from '@svc/service/config/plural';
import type { Effort, Target } from '../bench.ts';
import type { Report } from '../report.ts';

export interface Context {
  readonly target: Target;
  readonly effort: Effort;
  readonly report: Report;
}

/** Measures one subject of the bars, and reports it. Leaves the data as it was, or with more records. */
export type Scenario = (context: Context) => Promise<void>;

export const workspaceText = (count: number): string => counted(count, 'workspace', 'workspaces');
