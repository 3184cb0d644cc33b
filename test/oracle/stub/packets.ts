// Packets: a header with length and kind, and in those of data two bytes of flags. A message may come in several; the
// last one is marked.

import type { Socket } from 'node:net';

/** The kinds that a server meets. */
const packetKinds = { connect: 1, accept: 2, data: 6, marker: 12 } as const;

const headerLength = 8;
const endOfRequest = 0x800;
const endOfFile = 0x40;
const protocolVersion = 315;
const packetLength = 8192;

/** What comes in, one call a packet or message. */
export interface PacketHandler {
  connect(): void;
  message(bytes: Buffer): void;
  /** 3: an interrupt is asked for, 2: the client is ready again. */
  marker(kind: number): void;
  endOfFile(): void;
}

/** Sends packets. */
export interface PacketSender {
  accept(): void;
  message(bytes: Buffer): void;
  marker(kind: number): void;
}

/** Cuts a socket's bytes into packets and messages, and sends others. */
export function speak(socket: Socket, handlerOf: (sender: PacketSender) => PacketHandler): void {
  let waiting = Buffer.alloc(0);
  let message: Buffer[] = [];
  // Lengths have two bytes until both sides agreed on four.
  let isAgreed = false;
  let connectDataFollows = false;

  const send = (kind: number, body: Buffer): void => {
    const header = Buffer.alloc(headerLength);
    if (isAgreed) header.writeUInt32BE(headerLength + body.length);
    else header.writeUInt16BE(headerLength + body.length);
    header.writeUInt8(kind, 4);
    if (!socket.destroyed) socket.write(Buffer.concat([header, body]));
  };
  const handler = handlerOf({
    accept() {
      send(packetKinds.accept, acceptance());
      isAgreed = true;
    },
    message: (bytes) => send(packetKinds.data, Buffer.concat([Buffer.from([0, 0]), bytes])),
    marker: (kind) => send(packetKinds.marker, Buffer.from([1, 0, kind])),
  });
  const take = (packet: Buffer): void => {
    const kind = packet.readUInt8(4);
    if (kind === packetKinds.connect) {
      // A long connect string comes as data of its own.
      connectDataFollows = packet.length <= 74 && packet.readUInt16BE(24) > 0;
      if (!connectDataFollows) handler.connect();
    } else if (kind === packetKinds.marker) handler.marker(packet.readUInt8(10));
    else if (connectDataFollows) {
      connectDataFollows = false;
      handler.connect();
    } else if ((packet.readUInt16BE(8) & endOfFile) > 0) handler.endOfFile();
    else {
      message.push(packet.subarray(10));
      if ((packet.readUInt16BE(8) & endOfRequest) === 0) return;
      const whole = Buffer.concat(message);
      message = [];
      handler.message(whole);
    }
  };
  socket.on('data', (chunk) => {
    waiting = Buffer.concat([waiting, chunk]);
    for (;;) {
      if (waiting.length < headerLength) return;
      const length = isAgreed ? waiting.readUInt32BE() : waiting.readUInt16BE();
      if (waiting.length < length) return;
      const packet = waiting.subarray(0, length);
      waiting = waiting.subarray(length);
      take(packet);
    }
  });
}

function acceptance(): Buffer {
  const body = Buffer.alloc(37);
  body.writeUInt16BE(protocolVersion, 0);
  body.writeUInt16BE(packetLength, 4);
  body.writeUInt16BE(0xffff, 6);
  body.writeUInt16BE(headerLength + body.length, 12);
  // No encryption or checksums of the protocol's own.
  body.writeUInt8(4, 14);
  body.writeUInt8(8, 15);
  body.writeUInt32BE(packetLength, 24);
  body.writeUInt32BE(2 ** 21, 28);
  return body;
}
