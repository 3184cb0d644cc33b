// Asks a server to give up the statement that a connection runs: a message on a connection of its own, as the protocol
// wants it. It also works behind a pooler, where the number of the real backend is not known.

import { connect } from 'node:net';

const cancelCode = 80_877_102;
const longestMs = 2000;

/** Which connection's statement to cancel. */
export interface CancelTarget {
  /** A host's name, or the folder of a unix socket. */
  readonly host: string;
  readonly port: number;
  readonly processId: number;
  readonly secretKey: number;
}

/** Sends the request and waits until the server has taken it. What goes wrong is of no interest: it was an attempt. */
export function sendCancelRequest({ host, port, processId, secretKey }: CancelTarget): Promise<void> {
  const message = Buffer.alloc(16);
  message.writeInt32BE(16, 0);
  message.writeInt32BE(cancelCode, 4);
  message.writeInt32BE(processId, 8);
  message.writeInt32BE(secretKey, 12);
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    socket.setTimeout(longestMs, () => socket.destroy());
    socket.once('connect', () => socket.end(message));
    socket.once('error', () => socket.destroy());
    socket.once('close', () => resolve());
    socket.resume();
  });
}
