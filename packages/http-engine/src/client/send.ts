import type { Socket } from 'node:net';
import type { Written } from './request-head.ts';

/** Up to here head and body are copied together: cheaper than handing the system two pieces. */
const copyBytes = 16 * 1024;

/** Writes a request, in one call of the system where it can be. */
export function send(socket: Socket, { head, body }: Written): void {
  if (!body) {
    socket.write(head, 'latin1');
  } else if (body.length <= copyBytes) {
    const bytes = Buffer.allocUnsafe(head.length + body.length);
    bytes.write(head, 'latin1');
    body.copy(bytes, head.length);
    socket.write(bytes);
  } else {
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body);
    socket.uncork();
  }
}
