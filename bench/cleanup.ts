const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Runs `work`. Then, or on a signal, disposes everything that it has put on the stack, the last first. */
export async function withCleanup(work: (stack: AsyncDisposableStack) => Promise<void>): Promise<void> {
  const stack = new AsyncDisposableStack();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= stack.disposeAsync();
    return closing;
  };
  for (const signal of SIGNALS) process.once(signal, () => void close().finally(() => process.exit(1)));
  try {
    await work(stack);
  } finally {
    await close();
  }
}
