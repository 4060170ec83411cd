import { createPool } from '../pool.ts';

/** Opens pools whose server cannot be reached. `attempts` is how often connections of theirs were asked for. */
export function unreachableNodes() {
  const state = { attempts: 0 };
  const openNode = () => {
    const pool = createPool({
      url: 'postgres://nobody@127.0.0.1:1/none',
      max: 1,
      name: 'test node',
      onError: () => undefined,
    });
    const connect = pool.connect.bind(pool);
    pool.connect = (() => {
      state.attempts += 1;
      return connect();
    }) as typeof pool.connect;
    return pool;
  };
  return { state, openNode };
}
