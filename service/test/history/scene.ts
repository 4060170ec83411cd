import type { Recorder } from './recorder.ts';

/** What every client knows of the run. */
export interface Scene {
  readonly recorder: Recorder;
  /** The nodes in turn. */
  nodeUrl(): string;
  /** Another node than this one. */
  otherNode(url: string): string;
  /** Clients begin new work. */
  isOpen(): boolean;
  /** The faults are healed, and every writer has ended: readers may end when they have seen everything. */
  isOver(): boolean;
  /** Is aborted when `isOver` becomes true. */
  readonly over: AbortSignal;
  /** The service did not come back: nobody waits for it any longer. */
  isAbandoned(): boolean;
}

export interface SceneControl extends Scene {
  close(): void;
  end(): void;
  abandon(): void;
}

export function createScene(recorder: Recorder, urls: readonly [string, ...string[]]): SceneControl {
  let phase: 'open' | 'closed' | 'over' | 'abandoned' = 'open';
  let asked = 0;
  const over = new AbortController();
  return {
    recorder,
    nodeUrl: () => urls[asked++ % urls.length] ?? urls[0],
    otherNode: (url) => urls.find((each) => each !== url) ?? urls[0],
    isOpen: () => phase === 'open',
    isOver: () => phase === 'over' || phase === 'abandoned',
    over: over.signal,
    isAbandoned: () => phase === 'abandoned',
    close() {
      phase = 'closed';
    },
    end() {
      if (phase !== 'abandoned') phase = 'over';
      over.abort();
    },
    abandon() {
      phase = 'abandoned';
    },
  };
}
