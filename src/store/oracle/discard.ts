// The one place that reaches inside the driver: ends a connection so that the pool cannot lend it again.

/**
 * Ends a connection's socket at once, also under a statement that waits for an answer; the pool forgets it when it is
 * closed. False where the driver has no such way any more: such a connection must not be closed, for the pool would lend
 * it again. `close({ drop: true })` is no way: in Thin mode the driver ignores it.
 */
export function cutConnection(connection: object): boolean {
  const network = field(field(connection, '_impl'), 'nscon');
  const cut = field(network, 'forceDisconnect');
  if (typeof cut !== 'function') return false;
  cut.call(network, new Error('the connection was given up'));
  return true;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
